//! Servers on one database.

mod drain;
mod nodes;
mod refusals;
mod sweep;
