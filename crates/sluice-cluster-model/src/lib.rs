//! A model of several servers on one PostgreSQL: how they share an emitter. Its tests explore every reachable state.
//!
//! The model has one emitter, a few nodes and a few requests of one client:
//!
//! - A node *accepts* a request: it inserts a row into the inbox, then answers, then hints the owner.
//! - A node that sees work without a live owner *claims* the emitter. It reads the state after the claim has committed.
//! - The owner runs the requests that it has read and *commits* each one: event, state and acknowledgement together. Its
//!   state is a number, the count of requests that it has run.
//! - A quiet owner may *hand over*.
//!
//! A transaction happens at once or not at all, because it locks the row of the emitter. Everything else is arbitrary. There is
//! no clock: a lease expires at any moment, and a node pauses before any step and acts afterwards without knowledge of its
//! lease. The network delays a commit for any time, loses it or its reply, and may carry it twice. A node crashes at any
//! moment, and its messages still arrive. [`Bounds`] limit the number of faults, so that the model is finite.
//!
//! Some delays need no state of their own. A claim that takes its time acts like one that is sent later, unless its sender has
//! changed meanwhile: [`Action::SlowClaim`]. A late hint acts like a lost one and a sweep. An answer goes to the client at any
//! moment after the insert, also when its node has crashed, which only adds to the promises.
//!
//! The [properties] are promises to users. The tests show that they hold, and for each [`Rule`] of the design which of them
//! break without it.

mod action;
mod bounds;
mod cluster;
mod deliver;
mod enabled;
mod examples;
mod id;
mod look;
mod message;
mod model;
mod node;
mod price;
pub mod properties;
mod request;
mod rule;
mod snapshot;
mod step;
mod store;
mod symmetry;

pub use action::Action;
pub use bounds::Bounds;
pub use cluster::Cluster;
pub use id::{Fence, Incarnation, NodeId, RequestId};
pub use message::{Claim, Commit, Message};
pub use model::ClusterModel;
pub use rule::{Rule, Rules};
