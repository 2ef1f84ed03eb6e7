//! The engine in process: scripted component processes, a manual clock, and a real SQLite database.

mod clock;
mod commits;
mod crashes;
mod direct;
mod eviction;
mod fencing;
mod fixture;
mod lateness;
mod lease;
mod renewal;
mod retries;
mod streams;
mod supervision;
mod two_nodes;
