//! The real binary over real sockets, with real Deno processes, on both databases.

mod accounts;
mod activity;
mod api;
mod attacks;
mod cluster;
mod commands;
mod components;
mod console;
mod corpus;
mod delivery;
mod durability;
mod examples;
mod flow;
mod import;
mod packages;
mod props;
mod readme;
mod registry;
mod routing;
mod sandbox;
mod sharing;
mod streams;
mod support;
mod values;
mod workflows;
