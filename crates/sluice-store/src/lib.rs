//! Every SQL statement of Sluice, on SQLite and on PostgreSQL.
//!
//! A transaction is a closure: `store.write(move |c| { sources::insert(c, &source)?; … }).await`.
//! It runs on a database thread, and its result is sent when its commit is durable. An `Err` rolls
//! it back. Query functions are synchronous, written once for both databases, one module for
//! each table.
//!
//! Rules: the store never reads the clock. Functions on rows of a user take the user; exceptions say so in
//! their name or their comment. Both databases behave alike.

mod batch_limit;
mod conn;
mod driver;
mod error;
mod event_id_row;
mod id_list;
mod job;
mod migrate;
mod page;
mod postgres;
mod queue;
mod row;
mod sqlite;
mod store;
mod text_enum;
mod value;
mod vault;

pub mod account_uses;
pub mod accounts;
pub mod activity;
pub mod api_keys;
pub mod apps;
pub mod audit;
pub mod backlog;
pub mod code_files;
pub mod components;
pub mod connections;
pub mod count_ledger;
pub mod data_key;
pub mod data_stores;
pub mod deliveries;
pub mod delivery_history;
pub mod delivery_lists;
pub mod delivery_pruning;
pub mod deployments;
pub mod disk_use;
pub mod dynamic_props;
pub mod emitters;
pub mod endpoints;
pub mod event_replays;
pub mod events;
pub mod flow;
pub mod held_events;
pub mod identities;
pub mod imported_files;
pub mod imports;
pub mod inbox;
pub mod kept_rows;
pub mod kv;
pub mod last_requests;
pub mod lock_uses;
pub mod logs;
pub mod nodes;
pub mod notification_settings;
pub mod orphans;
pub mod package_archives;
pub mod placement;
pub mod progress;
pub mod provenance;
pub mod pruning;
pub mod queue_claims;
pub mod registry;
pub mod replies;
pub mod routes;
pub mod run_history;
pub mod run_pruning;
pub mod run_steps;
pub mod run_waits;
pub mod runs;
pub mod saved_events;
pub mod saved_filters;
pub mod search;
pub mod sends;
pub mod server_clock;
pub mod sessions;
pub mod size;
pub mod source_versions;
pub mod sources;
pub mod state;
pub mod subject_health;
pub mod subscriptions;
pub mod timers;
pub mod tools;
pub mod traces;
pub mod transfer;
pub mod uploads;
pub mod usage;
pub mod users;
pub mod webhook_health;
pub mod webhooks;
pub mod workflows;

pub use batch_limit::BatchLimit;
pub use conn::{Conn, Dialect, Query, ping, query_all, query_one, query_opt};
pub use error::{Result, StoreError};
pub use page::Page;
pub use row::{FromRow, Row};
pub use store::{Location, Pooler, Store, StoreOptions};
pub use value::{FromValue, Value};
pub use vault::{FoundKey, KeyFile, MasterKey, RotationLock, Vault, VaultError};
