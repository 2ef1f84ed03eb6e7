//! The preset props of a tool, sealed as a whole.

use serde_json::{Map, Value};
use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_store::tools::Tool;

pub(super) fn seal(infra: &Infra, preset: Map<String, Value>) -> String {
    let text = Value::Object(preset).to_string();
    infra.vault.seal(text.as_bytes(), &mut infra.ids.rng())
}

pub(super) fn open(infra: &Infra, tool: &Tool) -> Result<Map<String, Value>, EngineError> {
    let unreadable = |reason: String| {
        EngineError::Conflict(format!(
            "the props of the tool {} cannot be read: {reason}. Enable it again",
            tool.name
        ))
    };
    let text = infra
        .vault
        .open(&tool.props_sealed)
        .map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))
}
