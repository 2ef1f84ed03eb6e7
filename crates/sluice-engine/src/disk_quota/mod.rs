//! The disk quota of users: data stores, `$.service.db`, events and packages together.
//!
//! When they exceed the quota, the oldest events are deleted, as by retention. Events may always use half of the quota; when
//! the rest does not fit beside them, the user is full: data stores take no values, `$.service.db` does not grow in processes
//! that start, and no code is saved. Nothing that was accepted is lost.

mod accounts;
mod rules;
mod sweep;

pub use accounts::DiskQuotas;
pub(crate) use sweep::run;
