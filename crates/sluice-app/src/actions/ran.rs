//! The action of a run, as the event of the run records it.

use serde::{Deserialize, Serialize};
use sluice_model::ComponentId;

/// What the event of a run says about its action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanAction {
    pub component_id: ComponentId,
    pub key: Option<String>,
    pub name: String,
    pub version: String,
}
