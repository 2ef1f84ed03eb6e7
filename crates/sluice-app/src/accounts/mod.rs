//! Accounts of users with apps.

mod connect;
mod manage;
mod props;

pub use connect::{ConnectRequest, ConnectResult, ProviderAnswer};
pub use manage::{AccountChange, AccountView, Accounts, NewAccount};
pub(crate) use props::AccountProps;
