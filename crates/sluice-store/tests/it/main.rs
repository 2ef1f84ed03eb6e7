//! Every store test, each on both databases.

mod accounts;
mod app_accounts;
mod code;
mod connection;
mod data_stores;
mod deliveries;
mod delivery_history;
mod differential;
mod dynamic_props;
mod events;
mod inbox;
mod limits;
mod logs;
mod opening;
mod pruning;
mod routes;
mod search;
mod sends;
mod source_state;
mod sources;
mod subscriptions;
mod support;
mod transactions;
mod triggers;
mod uploads;
mod webhooks;
