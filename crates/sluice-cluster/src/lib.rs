//! The servers that share one database. Each is a *node* with a lease, which a heartbeat renews. PostgreSQL decides who is
//! alive, by its own clock; there is no other consensus. A server on SQLite is alone and always holds its lease.

mod boot_time;
mod heartbeat;
mod lease;
mod membership;
#[cfg(feature = "testing")]
pub mod testing;
mod this_node;

pub use lease::Lease;
pub use membership::{Cluster, JoinError, NodeDescription, PROTOCOL, Peers};
