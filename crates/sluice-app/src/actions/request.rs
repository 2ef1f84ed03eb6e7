//! The request to run an action.

use serde_json::{Map, Value};
use sluice_model::TraceContext;

use crate::components::ComponentRef;

/// An action to run once.
pub struct RunAction {
    pub component: ComponentRef,
    pub configured_props: Map<String, Value>,
    /// The account for the only app prop of the action.
    pub account: Option<String>,
    /// The last result of `additionalProps`.
    pub dynamic_props_id: Option<String>,
    /// `None` is the limit of the server.
    pub timeout_seconds: Option<u32>,
    /// Whether to wait for the end of the run.
    pub wait: bool,
    /// The tool that it is run as.
    pub tool: Option<String>,
    /// The span of the request.
    pub trace: Option<TraceContext>,
}
