//! The use cases of Sluice and the workers behind them: what is accepted goes into the inbox, the owner of
//! its source runs it, and what came of it is committed in one transaction.

mod accept;
mod accounts;
mod activity;
mod code;
mod components;
mod context;
mod delivery;
mod endpoint;
mod error;
mod error_event;
mod fetch;
mod flow;
mod import;
mod inbox;
mod lifecycle;
mod mailbox;
mod memory_budget;
mod metrics;
mod net_guard;
mod observations;
mod overview;
mod owners;
mod owning;
mod questions;
mod quotas;
mod replay;
mod retention;
mod routing;
mod scheduler;
mod secrets;
mod sends;
mod server_view;
mod sessions;
mod settings;
mod slots;
mod source;
mod standings;
mod startup;
mod streams;
mod subscriptions;
mod users;
mod view;
mod vitals;
mod webhooks;
mod workflow;

use std::sync::Arc;

use sluice_model::{Clock, ComponentShape};
use sluice_store::{Store, sources::Source};

pub use accept::{Acceptance, AcceptedRequest, NewUpload, ReplyReceiver};
pub use accounts::{
    AccountChange, AccountView, Connecting, NewAccount, NewApp, ProviderAnswer, Returned,
};
pub use activity::{
    Chart, EmitterActivity, EmitterSelection, EmitterState, MOST_HOURS, Span, Step,
};
pub use code::raw_address;
pub use components::{
    CodeInput, ComponentFilter, ComponentRef, ComponentSearch, FoundComponents, Listed, Scope,
    ToPublish,
};
pub use endpoint::{Endpoint, EventForm, Responds};
pub use error::EngineError;
pub use flow::{Edge as FlowEdge, Flow, FlowQuery, Kind as FlowKind, Node as FlowNode};
pub use import::{CodeOfTree, Imported, ImportedComponent, TreePart};
pub use lifecycle::{CreateSource, EventRange, OnHookError, UpdateSource};
pub use mailbox::NoReply;
pub use metrics::Metrics;
pub use overview::{ActiveEmitter, Overview, Tally};
pub use questions::{Choice, DeclaredProps, Draft, OptionsAnswer, OptionsQuestion};
pub use sends::{S3Settings, SendSettings, SmtpSettings};
pub use server_view::{ProcessView, ServerView};
pub use sessions::SignedIn;
pub use settings::{Settings, ToldSetting};
pub use source::binding;
pub use startup::EngineOptions;
pub use streams::{
    EmitterTraffic, EventReader, LineReader, LiveEvent, LiveTraffic, RouteTraffic, StreamEnd,
    StreamedEvent, TrafficReader, TrafficSecond, WebhookTraffic,
};
pub use users::{FirstUser, NewUser};
pub use view::{Listing, SourceView};
pub use vitals::Vitals;
pub use webhooks::{NewWebhook, ReplayRange, WebhookChange, WithSecret};
pub use workflow::{
    Addresses, Callback, Cancelled, ChangeWorkflow, Deploy, ReplayFrom, ReplayRuns, Resumed,
    RunPage, RunView, TriggerView, VersionView, WorkflowView,
};

pub use sluice_code::CodeError;
pub use sluice_runtime::Reply as HttpReply;

use context::Context;
use endpoint::EndpointCache;
use fetch::Fetcher;
use inbox::Inbox;

/// The engine; cheap to clone, all clones are one.
#[derive(Clone)]
pub struct Engine {
    context: Arc<Context>,
    endpoints: Arc<EndpointCache>,
    fetcher: Arc<Fetcher>,
    inbox: Inbox,
}

impl Engine {
    pub fn store(&self) -> &Store {
        &self.context.store
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.context.clock
    }

    pub fn metrics(&self) -> &Metrics {
        &self.context.metrics
    }

    /// All metrics as a scraper reads them.
    pub fn scrape(&self) -> String {
        let context = &self.context;
        let warm = i64::try_from(context.runtime.warm_processes()).unwrap_or(i64::MAX);
        context.metrics.warm_processes.set(warm);
        let is_warm = i64::from(context.runtime.is_warm());
        context.metrics.is_warm.set(is_warm);
        let memory = i64::try_from(context.runtime.memory_in_use()).unwrap_or(i64::MAX);
        context.metrics.process_memory.set(memory);
        context.metrics.encode()
    }

    pub fn settings(&self) -> &Settings {
        &self.context.settings
    }

    /// Whether requests are welcome: false once the server drains.
    pub fn is_ready(&self) -> bool {
        !self.context.draining.is_cancelled()
    }

    async fn shape_of(&self, source: &Source) -> Result<ComponentShape, EngineError> {
        let id = source.component_id.clone();
        self.context
            .store
            .read(move |c| sluice_store::components::shape_for_run(c, &id))
            .await?
            .ok_or(EngineError::NotFound("component"))
    }
}
