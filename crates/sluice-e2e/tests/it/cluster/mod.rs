//! Servers on one database.

mod clients;
mod clocks;
mod commit_log;
mod database;
mod drain;
mod fault;
mod faults;
mod history;
mod lifecycle;
mod load;
mod mid_commit;
mod nodes;
mod observer;
mod packages;
mod refusals;
mod report;
mod responses;
mod rolling;
mod scale;
mod stage;
mod steady;
mod streams;
mod sweep;
mod timers;
mod versions;
mod webhooks;
