//! Data stores: shared key-value stores that components use while they run.

mod request;
mod server;

pub(crate) use server::{DataStoreAccess, DataStoreServer};
