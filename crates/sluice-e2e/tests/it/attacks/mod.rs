//! Attacks that once succeeded, by components and by clients. Each is contained: the server goes on, and nobody else notices.

mod folders;
mod reports;
mod time_limit;
