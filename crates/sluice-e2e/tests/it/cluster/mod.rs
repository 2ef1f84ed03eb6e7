//! Servers on one database.

mod refusals;
