//! Lists, fields, errors and authentication of the REST API.

mod event_pages;
mod fixtures;
