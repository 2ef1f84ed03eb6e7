//! Wire types of the REST API: the bodies of requests and responses, for the server, the command line and tests.
//!
//! Fields are in the order in which they are sent. Deserialised text of a client has no NUL characters, because PostgreSQL
//! cannot store them.

mod accounts;
mod actions;
mod activity;
mod agent_access;
mod api_keys;
mod apps;
mod audit;
mod cluster;
mod components;
mod data_stores;
mod deliveries;
mod envelope;
mod error;
mod events;
mod flow;
mod forms;
mod imports;
mod logs;
mod notifications;
mod query;
mod runs;
mod saved_events;
mod saved_filters;
mod server;
mod sessions;
mod source_versions;
mod sources;
mod subscriptions;
mod text;
mod tools;
mod traces;
mod traffic;
mod users;
mod webhooks;
mod workflow_tests;
mod workflows;

pub use accounts::{
    Account, AccountUse, ConnectAccount, Connection, ConnectionAuthorization, ConnectionStatus,
    CreateAccount, UpdateAccount,
};
pub use actions::{ActionRun, ActionRunsQuery, RanAction, RunAction};
pub use activity::{
    ActiveEmitter, Activity, ActivityQuery, ActivityStep, DeliveryTally, EmitterActivity,
    EmitterKind, EmitterState, EmittersQuery, ExpandEmittersQuery, FailingWebhook, Overview,
    ServerTally, Tally, WebhookTally,
};
pub use agent_access::{AgentAnswer, AgentApplication, AgentQuery, ApproveAgent};
pub use api_keys::{CreateNamedKey, CreatedNamedKey, KeyScope, NamedKey};
pub use apps::{
    App, AppOauth, AuthType, ClientAuthentication, CustomField, ListedApp, OauthClient,
    RegisterApp, SetOauthClient,
};
pub use audit::{AuditActor, AuditEntry, AuditQuery, AuditTarget};
pub use cluster::{ClusterNode, NodeState};
pub use components::{
    Component, ComponentFiles, ComponentScope, ComponentsQuery, CreateComponent, FoundComponents,
    PublishComponent, SearchComponentsQuery,
};
pub use data_stores::DataStore;
pub use deliveries::{
    DeliveriesQuery, Delivery, DeliveryAttempt, DeliveryState, OfWebhookQuery, ReplayDeliveries,
    ReplayState, ReplayedDeliveries,
};
pub use envelope::{Data, List, PageInfo};
pub use error::{DocumentError, ErrorBody, ErrorDetail, PropError, QueryError};
pub use events::{EventMetadata, EventSummary, OlderEvent, ReplayEvents, Replayed, TruncatedEvent};
pub use flow::{Flow, FlowEdge, FlowNode, FlowNodeKind, FlowQuery};
pub use forms::{AskOptions, AskProps, Choice, DynamicProps, OptionsPage, PropsAnswer};
pub use imports::{
    AppFieldUse, CheckedApp, ComponentField, Import, ImportMode, ImportOutcome, ImportProgress,
    ImportQuery, ImportedComponent, RemovedFile, UndoneImport,
};
pub use logs::LogLine;
pub use notifications::{
    NotificationSettings, NotificationState, NotificationTest, NotificationTestResult,
    SentNotification, UpdateNotifications,
};
pub use query::{
    AccountQuery, AccountsQuery, AppsOrder, AppsQuery, DeleteEventsQuery, DeleteSourceQuery,
    EventStreamQuery, EventsQuery, FieldQuery, IgnoreHookErrors, IncludeCredentials,
    LogStreamQuery, LogsQuery, OlderEventsQuery, PageQuery, SendStreamQuery, UsersQuery,
};
pub use runs::{
    ErrorPlace, ReplayFrom, ReplayRun, ReplayRuns, ReplayedRuns, ReplayedState, Run, RunSend,
    RunState, RunStep, RunWait, RunsQuery,
};
pub use saved_events::{LastRequest, SaveEvent, SavedEvent};
pub use saved_filters::{CreateSavedFilter, SavedFilter, UpdateSavedFilter};
pub use server::{Database, Server, ServerProcess, ServerSetting};
pub use sessions::{ListedSession, OidcSignIn, Session, SessionUser, SignIn, SignInOptions};
pub use source_versions::{RollBackSource, SourceVersion, WholeSourceVersion};
pub use sources::{
    CreateSource, Invocation, Retention, RunSource, Source, TickHealth, UpdateSource,
};
pub use subscriptions::{AutoSubscribe, Subscription, SubscriptionParameters};
pub use tools::{EnableTool, RunTool, Tool};
pub use traces::{Trace, TraceNode, TraceNodeKind, TraceNodeStatus, TraceQuery};
pub use traffic::{EmitterTraffic, RouteTraffic, Traffic, WebhookTraffic};
pub use users::{
    CreateUser, CreatedUser, FreeUser, ListedUser, NO_LIMIT, PaidUser, RotatedKey, SignUp,
    SignedUp, UpdateOwnUser, UpdateUser, User, UserPlan, Workspace,
};
pub use webhooks::{
    CreateWebhook, UpdateWebhook, Webhook, WebhookDeliveries, WebhookHealth, WebhookQuery,
    WebhookStatus, WebhooksQuery,
};
pub use workflow_tests::{TestResponse, TestWorkflow, TestedSend, TestedStep, WorkflowTest};
pub use workflows::{
    DeployWorkflow, RollBackWorkflow, WholeWorkflowVersion, Workflow, WorkflowStep,
    WorkflowTrigger, WorkflowVersion,
};
