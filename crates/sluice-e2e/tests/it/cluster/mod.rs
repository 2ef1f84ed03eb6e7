//! Servers on one database.

mod clients;
mod commit_log;
mod drain;
mod fault;
mod faults;
mod history;
mod load;
mod nodes;
mod observer;
mod refusals;
mod report;
mod scale;
mod stage;
mod sweep;
