//! The console as a browser meets it: sessions, the pages and files it gets, and people's content on the same origin.

mod confinement;
mod cross_site;
mod files;
mod fixtures;
mod pages;
mod session_ends;
mod sessions;
mod two_servers;
