//! The engine in process: scripted component processes, a manual clock, and a real SQLite database.

mod clock;
mod commits;
mod fixture;
mod retries;
mod supervision;
