//! Component processes: permits, start and stop, and everything a process needs while it runs.

pub mod bindings;
pub mod credentials;
mod data_stores;
mod host;
mod idle;
mod live;
pub(crate) mod memory_budget;
mod parked;
mod permits;
mod start_delay;
mod starter;
pub(crate) mod uploads;

pub(crate) use data_stores::DataStoreAccess;
pub(crate) use host::{HostEvent, Hosts};
pub(crate) use idle::Evict;
pub(crate) use live::LiveProcess;
pub(crate) use permits::Permits;
pub(crate) use starter::ProcessStarter;
