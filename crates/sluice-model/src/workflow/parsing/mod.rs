//! Parses the text of a document, and reports all errors with their positions.
//!
//! The text is parsed into a tree first (`yaml`, `json`), in which each part has its position. The tree is then read as a
//! workflow (`workflow` and the modules it calls). Both continue after an error, so that all errors are reported at once.

mod env;
mod fields;
mod json;
mod lines;
pub(super) mod node;
mod scalar;
mod settings;
mod steps;
mod tree_builder;
mod triggers;
mod values;
mod workflow;
mod yaml;

#[cfg(test)]
mod tests;

use self::{fields::Field, node::Node};
use super::{
    document::Document,
    error::{DocumentError, ErrorCollector, ParseResult},
    positions::Positions,
};

/// Parses a workflow from YAML 1.2 or JSON. Names of components and emitters are not looked up. Errors are in the order of
/// the document.
pub fn parse(text: &str) -> Result<(Document, Positions), Vec<DocumentError>> {
    let errors = ErrorCollector::default();
    let parsed = tree(text, &errors).and_then(|root| {
        let document = workflow::read(&Field::root(&root, &errors))?;
        Ok((document, Positions::new(root)))
    });
    match (parsed, errors.into_sorted()) {
        (Ok(parsed), errors) if errors.is_empty() => Ok(parsed),
        (_, errors) => Err(errors),
    }
}

fn tree(text: &str, errors: &ErrorCollector) -> ParseResult<Node> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    json::read(text, errors).unwrap_or_else(|| yaml::read(text, errors))
}
