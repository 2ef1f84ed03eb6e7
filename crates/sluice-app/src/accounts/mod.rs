//! Accounts of users with apps.

mod connect;
mod connect_finish;
mod delete;
mod manage;
mod props;

pub use connect::{ConnectRequest, ConnectionView};
pub use connect_finish::{ConnectResult, ProviderAnswer};
pub use manage::{AccountChange, AccountView, Accounts, NewAccount};
pub(crate) use props::AccountProps;
