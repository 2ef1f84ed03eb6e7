//! The HTTP API in process: a real socket and a real SQLite database, scripted component processes, and a
//! clock that tests can put forward.

mod api;
mod audit;
mod collector;
mod contract;
mod delivery;
mod described;
mod proxies;
mod server;
mod support;
mod tls;
mod trace_trees;
mod traces;
mod traces_of_later_work;
