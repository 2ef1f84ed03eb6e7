//! Single actions: what a run returns, how it fails, and what is kept of it.

mod commands;
mod durability;
mod fixtures;
mod outcomes;
mod tools;

pub(crate) use fixtures::{ECHO, action, publish};
