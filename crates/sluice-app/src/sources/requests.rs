//! Requests that create, change and delete sources.

use serde_json::{Map, Value};
use sluice_engine::EngineError;
use sluice_model::{ComponentKind, ComponentShape, EventId};
use sluice_store::{events::ChannelFilter, sources::Retention};

use crate::components::ComponentRef;

pub struct CreateSource {
    pub component: ComponentRef,
    pub name: Option<String>,
    pub configured_props: Map<String, Value>,
    /// An earlier result of `additionalProps` for these values.
    pub dynamic_props_id: Option<String>,
    pub retention: Retention,
}

pub struct UpdateSource {
    pub component: Option<ComponentRef>,
    pub name: Option<String>,
    pub configured_props: Option<Map<String, Value>>,
    pub dynamic_props_id: Option<String>,
    /// `None` leaves it unchanged.
    pub retention: Option<Retention>,
    pub active: bool,
}

/// Whether a source is deleted although its `deactivate` hook throws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnHookError {
    Refuse,
    Ignore,
}

/// Events from `start` to `end`, both included. A missing end is open.
pub struct EventRange {
    pub start: Option<EventId>,
    pub end: Option<EventId>,
    pub channel: ChannelFilter,
}

pub(super) fn must_be_a_source(shape: &ComponentShape) -> Result<(), EngineError> {
    match shape.kind {
        ComponentKind::Source => Ok(()),
        ComponentKind::Action => Err(EngineError::Invalid(
            "the component is an action: only sources can be deployed".to_owned(),
        )),
    }
}
