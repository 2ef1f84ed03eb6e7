//! Servers on one database.

mod nodes;
mod refusals;
mod sweep;
