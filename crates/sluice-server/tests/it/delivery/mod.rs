//! Events on their way to webhooks, over real sockets, and what is known of them afterwards.

mod all_webhooks;
mod breaker;
mod changes;
mod fixtures;
mod health;
mod history;
mod history_fixtures;
mod limits;
mod ordering;
mod replay;
mod retries;
mod signing;
mod ssrf;
