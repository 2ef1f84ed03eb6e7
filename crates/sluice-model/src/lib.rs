//! The domain model of Sluice: identifiers, components and their props, timers, dedupe, slugs, cursors and workflows.
//!
//! The crate does no I/O. The clock and randomness are arguments. The one exception is [`SystemClock`], the only code in the
//! workspace that reads the clock of the machine.

pub mod app;
pub mod clock;
pub mod code_error;
pub mod code_files;
pub mod component;
mod component_failure;
mod connection_error;
pub mod cursor;
pub mod dedupe;
pub mod emitter_id;
pub mod event_id;
mod event_summary;
pub mod id_gen;
pub mod ids;
pub mod invalid_id;
pub mod keys;
pub mod label_value;
pub mod prop_def;
pub mod prop_error;
pub mod prop_type;
pub mod props;
pub mod raw_props;
pub mod raw_shape;
pub mod search;
pub mod slug;
pub mod text_change;
pub mod timer;
pub mod trace;
pub mod version;
pub mod workflow;

mod address;
mod event_address;
mod json_value;
mod mail_address;
mod number;
mod prop_schema;
mod prop_value;
mod scopes;
mod structured_value;
mod text_id;

pub use address::{PRIVATE_RANGES, is_public};
pub use app::{
    ACCOUNT_FIELD, AppAuth, ClientAuthentication, KeyField, OauthSettings, is_app_slug,
    names_account,
};
pub use clock::{Clock, ManualClock, SystemClock};
pub use code_error::CodeError;
pub use code_files::{CodeFile, CodeFiles, Edit, FileLink, json_module_path};
pub use component::{ComponentKind, ComponentShape, DedupeStrategy, Hook, ModuleFormat, code_hash};
pub use component_failure::{ComponentFailure, FailureReason};
pub use connection_error::{ConnectionError, ConnectionErrorCode};
pub use cursor::Cursor;
pub use dedupe::{DedupeKey, DedupeState, Verdict, order_by_ts};
pub use emitter_id::{EmitterId, EmitterKind, SourceId, WorkflowId};
pub use event_address::EventAddress;
pub use event_id::EventId;
pub use event_summary::event_summary;
pub use id_gen::{EmitId, IdGen, InvocationId};
pub use ids::{
    AccountId, ApiKeyId, AppId, AuditEntryId, ComponentId, ConnectionId, DeliveryId, DeploymentId,
    DynamicPropsId, ImportId, SavedFilterId, SessionId, SubscriptionId, UserId, WebhookId,
};
pub use invalid_id::InvalidId;
pub use keys::{ApiKey, EndpointKey, SessionToken};
pub use mail_address::is_mail_address;
pub use prop_def::PropDef;
pub use prop_error::{PropError, PropErrorCode};
pub use prop_schema::props_schema;
pub use prop_type::{PropType, ScalarType};
pub use props::{MASK, carried_over, configure, masked, merged, provisional};
pub use raw_props::{RawProp, check_dynamic_props};
pub use raw_shape::RawShape;
pub use scopes::{Scope, Scopes};
pub use search::{SearchError, SearchQuery};
pub use slug::{slug_of, slugify, unique_slug};
pub use text_change::TextChange;
pub use timer::{TimerSpec, next_interval_slot};
pub use trace::TraceContext;
pub use version::{is_semantic, newest_version};
