//! The use cases of Sluice, one service per noun, on top of the engine. The API calls nothing else to change state.
//!
//! Services depend on each other in one direction: `components` and `accounts` know no other service, `forms` calls
//! `components`, `sources` and `actions` call `forms` and `components`, `tools` calls `actions`, `workflows` calls `components`, `users` calls `webhooks` and
//! `accounts`, `oidc` calls `users` and `sessions`, and `agent_access` calls `api_keys`. All of them record changes with `audit`. [`App`] only wires them.

mod accounts;
mod actions;
mod activity;
mod agent_access;
mod api_keys;
mod app;
mod apps;
mod audit;
mod components;
mod data_stores;
mod detached;
mod flow;
mod forms;
mod health;
mod housekeeping;
mod import;
mod listing;
mod lookup;
mod notifications;
mod oidc;
mod overview;
mod packages;
mod replay_span;
mod saved_events;
mod saved_filters;
mod server_status;
mod sessions;
mod slug;
mod sources;
mod starter;
mod subscriptions;
mod tick_health;
mod timer_rows;
mod tools;
mod traces;
mod user_changes;
mod users;
mod webhooks;
mod workflows;

pub use sluice_engine::EngineError;
pub use sluice_outbox::SendResult;
pub use sluice_runtime::Reply as HttpReply;

pub use accounts::{
    AccountChange, AccountView, Accounts, ConnectRequest, ConnectResult, ConnectionView,
    NewAccount, ProviderAnswer,
};
pub use actions::{ActionRunList, ActionRunPage, ActionRunView, Actions, RanAction, RunAction};
pub use activity::{
    Activity, Chart, EmitterActivity, EmitterSelection, EmitterState, MOST_HOURS, Span, Step,
};
pub use agent_access::{
    AccessError, AgentAccess, AppRequest, Application, Approval, Exchange, IssuedKey, Renewal,
    Revocation,
};
pub use api_keys::{ApiKeys, KnownKey, MAX_KEYS, NewKey};
pub use app::App;
pub use apps::{AppFilter, AppOrder, Apps, ListedApp, NewApp, NewClient};
pub use audit::{Actor, AuditLog};
pub use components::{
    CodeInput, ComponentFilter, ComponentMatches, ComponentRef, ComponentSearch, Components,
    FilesInput, ListedComponent, PublishInput, Scope, raw_address,
};
pub use data_stores::DataStores;
pub use flow::{Edge as FlowEdge, Flow, FlowMap, FlowQuery, Kind as FlowKind, Node as FlowNode};
pub use forms::{Choice, DeclaredProps, Draft, Forms, OptionsAnswer, OptionsQuestion};
pub use import::{
    AppField, CheckedApp, CheckoutError, ComponentDetails, FieldUse, ImportMode, ImportOutcome,
    ImportProgress, ImportRequest, ImportedComponent, Imports, LocalCheckout, RemovedFile, Undone,
    UnpackedTree, is_source,
};
pub use listing::Listing;
pub use notifications::{
    NotificationChange, NotificationView, Notifications, Notifier, TestResults,
};
pub use oidc::{Arrival, Departure, Oidc, ProviderReturn, SignInError};
pub use overview::{ActiveEmitter, NamedWebhook, Overview, Overviews, Tally, WebhookTally};
pub use saved_events::{EmitterName, SavedEvents};
pub use saved_filters::{FilterChange, SavedFilters};
pub use server_status::{
    MetricsFormat, ProcessView, ResourceUsage, ServerStatus, ServerView, update_backlogs,
};
pub use sessions::{ActiveSession, Client, LONGEST_SESSION, Sessions, SignIn};
pub use sluice_code::sample_event;
pub use sources::{
    CreateSource, EventRange, OnHookError, SourceVersionView, SourceView, Sources, UpdateSource,
    WholeSourceVersionView,
};
pub use subscriptions::Subscriptions;
pub use tick_health::TickHealth;
pub use tools::{EnableTool, ToolView, Tools};
pub use traces::{Trace, TraceKind, TraceNode, TraceQuery, TraceStatus, Traces};
pub use users::{FirstUser, NewUser, PLACEHOLDER_EMAIL, UserChange, Users};
pub use webhooks::{
    NewWebhook, ReplayRange, ReplayedDelivery, WebhookChange, WebhookHealth, WebhookStatus,
    WebhookWithSecret, Webhooks,
};
pub use workflows::{
    Callback, CancelledRun, ChangeWorkflow, Deploy, ErrorPlace, ErrorPlaces, FromRun, ReplayFrom,
    ReplayRuns, ResumedRun, RunList, RunPage, RunView, StepView, TestView, TestWorkflow,
    TestedSend, TestedStep, TriggerView, VersionView, WholeVersionView, WorkflowView, Workflows,
};
