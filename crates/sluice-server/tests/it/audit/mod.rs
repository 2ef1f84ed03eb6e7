//! The audit log: every change of the API leaves one entry, and who may read them.

mod actions;
mod changes;
mod connect;
mod list;
mod log;
mod oidc;
mod sign_ins;
mod transactions;
mod tree;
