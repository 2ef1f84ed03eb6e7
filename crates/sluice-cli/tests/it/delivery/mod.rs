//! What webhooks get, over real sockets, and what is known of it afterwards.

mod history;
mod history_fixtures;
mod replay;
