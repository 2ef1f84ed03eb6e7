//! The servers that share one database. Each is a *node* with a lease, which a heartbeat renews. PostgreSQL decides who is
//! alive, by its own clock; there is no other consensus. A server on SQLite is alone and always holds its lease.

mod boot_time;
mod clock;
mod heartbeat;
mod hint;
mod lease;
mod links;
mod members;
mod membership;
mod placement;
mod status;
#[cfg(feature = "testing")]
pub mod testing;
mod this_node;

pub use clock::{DatabaseTime, NodeClock};
pub use hint::Hint;
pub use lease::{Lease, LeaseTerm};
pub use links::{HINTS_PATH, LinkError, NODE_HEADER, REPLIES_PATH, TOKEN_HEADER, TRAFFIC_PATH};
pub use membership::{Cluster, JoinError, Joining, NodeDescription, PROTOCOL};
pub use status::NodeStatus;
pub use this_node::Received;
