//! Workflows: what they are made of, how they run, and what they leave behind.

mod builtins;
mod deaths;
mod error_listeners;
mod errors;
mod event_lists;
mod expressions;
pub(crate) mod fixtures;
mod flow;
mod http_trigger;
mod limits;
pub(crate) mod link_page;
mod listening;
mod manage;
mod outputs;
mod respond;
mod retries;
pub(crate) mod sends;
mod sent;
mod steps;
mod testing;
mod trace_trees;
mod traces;
