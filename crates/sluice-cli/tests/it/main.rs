//! The real binary over real sockets, with real Deno processes, on both databases.

mod api;
mod components;
mod durability;
mod props;
mod readme;
mod support;
