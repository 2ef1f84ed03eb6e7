//! From the text of a document to what it says, with every mistake in it and its place.
//!
//! The text becomes a tree first (`yaml`, `json`), in which each part knows its place; the tree is then read as a workflow
//! (`workflow` and what it calls). Both go on after a mistake, so that all of them are told at once.

mod building;
mod env;
mod fields;
mod json;
mod lines;
pub(super) mod node;
mod scalar;
mod settings;
mod steps;
mod triggers;
mod values;
mod workflow;
mod yaml;

#[cfg(test)]
mod tests;

use self::{fields::Field, node::Node};
use super::{
    document::Document,
    fault::{DocumentFault, Faults, Read},
    places::Places,
};

/// Reads a workflow from YAML 1.2 or JSON, as far as its text alone says what it is. Faults are in the order of the document.
pub fn parse(text: &str) -> Result<(Document, Places), Vec<DocumentFault>> {
    let faults = Faults::default();
    let parsed = tree(text, &faults).and_then(|root| {
        let document = workflow::read(&Field::root(&root, &faults))?;
        Ok((document, Places::new(root)))
    });
    match (parsed, faults.into_sorted()) {
        (Ok(parsed), faults) if faults.is_empty() => Ok(parsed),
        (_, faults) => Err(faults),
    }
}

fn tree(text: &str, faults: &Faults) -> Read<Node> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    json::read(text, faults).unwrap_or_else(|| yaml::read(text, faults))
}
