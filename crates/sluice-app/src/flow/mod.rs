//! The map of an account.

mod map;
mod service;

pub use map::{Edge, Flow, FlowQuery, Kind, Node};
pub use service::FlowMap;
