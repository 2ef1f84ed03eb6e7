//! The use cases of Sluice and the workers behind them: what is accepted goes into the inbox, the owner of
//! its source runs it, and what came of it is committed in one transaction.

mod accept;
mod accounts;
mod activity;
mod code;
mod components;
mod context;
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
mod server_view;
mod sessions;
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

use sluice_infra::{Metrics, Settings};
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
pub use overview::{ActiveEmitter, Overview, Tally};
pub use questions::{Choice, DeclaredProps, Draft, OptionsAnswer, OptionsQuestion};
pub use server_view::{ProcessView, ServerView};
pub use sessions::SignedIn;
pub use source::binding;
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

pub use sluice_runtime::{CodeFault, Reply as HttpReply};

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
        &self.context.infra.store
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.context.infra.clock
    }

    pub fn metrics(&self) -> &Metrics {
        &self.context.infra.metrics
    }

    /// All metrics as a scraper reads them.
    pub fn scrape(&self) -> String {
        let context = &self.context;
        let warm = i64::try_from(context.runtime.warm_processes()).unwrap_or(i64::MAX);
        context.infra.metrics.warm_processes.set(warm);
        let is_warm = i64::from(context.runtime.is_warm());
        context.infra.metrics.is_warm.set(is_warm);
        let memory = i64::try_from(context.runtime.memory_in_use()).unwrap_or(i64::MAX);
        context.infra.metrics.process_memory.set(memory);
        context.infra.metrics.encode()
    }

    pub fn settings(&self) -> &Settings {
        &self.context.infra.settings
    }

    /// Whether requests are welcome: false once the server drains.
    pub fn is_ready(&self) -> bool {
        !self.context.infra.shutdown.is_draining()
    }

    async fn shape_of(&self, source: &Source) -> Result<ComponentShape, EngineError> {
        let id = source.component_id.clone();
        self.context
            .infra
            .store
            .read(move |c| sluice_store::components::shape_for_run(c, &id))
            .await?
            .ok_or(EngineError::NotFound("component"))
    }
}
