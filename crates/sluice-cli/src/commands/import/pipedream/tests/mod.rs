//! The whole command, against a server that plays the API.

mod api;
mod fake;
mod folders;
mod hostile;
mod listings;
mod workflows;
