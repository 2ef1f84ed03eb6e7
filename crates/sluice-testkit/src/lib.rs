//! Drives the real `sluice` binary over real sockets, for integration tests and for the benchmark.
//!
//! Nothing here knows the server's code: what a test sees is what a user would see. Everything fails by panicking with
//! what is needed to understand the failure, and no handle is bound to one async runtime, so many `#[tokio::test]`s
//! can share one [`Server`].

mod api;
mod component_tree;
mod log;
mod options;
mod postgres;
mod raw;
pub mod receiver;
mod registry;
mod scratch;
mod server;
mod shared;
mod spawner;
mod terminal;
mod wait;

pub use api::{Answer, Api, Request};
pub use component_tree::{ComponentTree, Flaw, Planted, TreePlan};
pub use options::ServerOptions;
pub use postgres::Postgres;
pub use raw::raw_http;
pub use registry::Registry;
pub use reqwest::Method;
pub use scratch::folder as scratch_folder;
pub use server::{Plan, Server};
pub use shared::{Backend, shared};
pub use terminal::{Key, Terminal};
pub use wait::wait_for;
