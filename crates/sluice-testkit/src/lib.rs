//! Drives the real `sluice` binary over real sockets, for integration tests and for the benchmark.
//!
//! It does not use the code of the server, so a test sees only what a user sees. Failures panic with a message that explains
//! them. No handle belongs to an async runtime, so that many `#[tokio::test]`s can share one server.

mod api;
mod archive;
mod balancer;
mod binary;
mod clock;
mod cluster;
mod component_tree;
mod log;
mod loopback;
mod missing_tool;
mod operations;
mod options;
mod own_postgres;
mod pg_bouncer;
mod postgres;
mod proxy;
mod randomness;
mod raw;
pub mod receiver;
mod registry;
mod scratch;
mod server;
mod server_info;
mod shared;
mod spawner;
mod terminal;
mod wait;
pub mod webhook;

pub use api::{Answer, Api, Request, ResponseCheck, SentRequest};
pub use archive::Archive;
pub use balancer::Balancer;
pub use binary::sluice_binary;
pub use clock::now_ms;
pub use cluster::{Cluster, Node, PUBLIC_URL};
pub use component_tree::{ComponentTree, Flaw, PlantedComponent, TreePlan};
pub use loopback::name_of_loopback;
pub use missing_tool::skip_without;
pub use operations::{api_document, guarded_operations, operations, routes};
pub use options::{Backend, ServerOptions};
pub use own_postgres::OwnPostgres;
pub use pg_bouncer::PgBouncer;
pub use postgres::Postgres;
pub use proxy::{Hold, TcpProxy};
pub use randomness::{TestRng, test_seed, unique_hex};
pub use raw::raw_http;
pub use registry::Registry;
pub use reqwest::Method;
pub use scratch::folder as scratch_folder;
pub use server::Server;
pub use server_info::{Plan, ServerInfo};
pub use shared::{ServerBroker, shared, shared_folder};
pub use terminal::{Key, Terminal};
pub use wait::wait_for;
