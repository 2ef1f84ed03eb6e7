//! Builds the tree of a document: the part that YAML and JSON have in common.

use std::collections::HashMap;

use super::node::{Entry, Node, NodeValue, Text};
use crate::workflow::{
    error::{ErrorCollector, ErrorReported, ParseResult},
    path::{PathPart, push_part, shown},
    position::Position,
};

/// Below the limit of JSON parsers, also inside of a definition.
const MAX_DEPTH: usize = 64;
/// Limits the memory of a document with many short parts.
const MAX_PARTS: usize = 100_000;

/// Knows the path and the depth of the current part, and collects errors.
pub(super) struct TreeBuilder<'f> {
    errors: &'f ErrorCollector,
    path: String,
    depth: usize,
    parts: usize,
}

/// An object to which entries are added one by one.
#[derive(Default)]
pub(super) struct Object {
    entries: Vec<Entry>,
    lines: HashMap<String, u32>,
}

/// The path before a part was entered.
pub(super) struct PathMark(usize);

impl<'f> TreeBuilder<'f> {
    pub(super) fn new(errors: &'f ErrorCollector) -> Self {
        TreeBuilder {
            errors,
            path: String::new(),
            depth: 0,
            parts: 0,
        }
    }

    pub(super) fn error(&self, position: Position, message: impl Into<String>) -> ErrorReported {
        self.errors.add(position, &self.path, message)
    }

    /// An error without a path, in the syntax of the document.
    pub(super) fn document_error(
        &self,
        position: Position,
        message: impl Into<String>,
    ) -> ErrorReported {
        self.errors.add(position, "", message)
    }

    /// Enters a part of the current one. Fails at the limits of depth and number of parts.
    pub(super) fn enter(
        &mut self,
        part: PathPart<'_>,
        position: Position,
    ) -> ParseResult<PathMark> {
        if self.depth == MAX_DEPTH {
            let message = format!("is nested more than {MAX_DEPTH} levels deep");
            return Err(self.error(position, message));
        }
        self.parts += 1;
        if self.parts > MAX_PARTS {
            let message = format!("the document has more than {MAX_PARTS} parts");
            return Err(self.error(position, message));
        }
        let before = PathMark(self.path.len());
        push_part(&mut self.path, part);
        self.depth += 1;
        Ok(before)
    }

    pub(super) fn leave(&mut self, before: &PathMark) {
        self.path.truncate(before.0);
        self.depth -= 1;
    }

    pub(super) fn text(
        &self,
        text: String,
        position: Position,
        origin: Option<Position>,
    ) -> NodeValue {
        if text.contains('\0') {
            let error = self.error(position, "must not contain NUL characters");
            return NodeValue::Invalid(error);
        }
        NodeValue::Text(Text { text, origin })
    }
}

impl Object {
    /// Adds an entry. The current part of `builder` is the value and not the object.
    pub(super) fn add(
        &mut self,
        builder: &TreeBuilder<'_>,
        key: String,
        key_position: Position,
        value: Node,
    ) {
        if let Some(line) = self.lines.get(&key) {
            builder.error(
                key_position,
                format!(
                    "`{}` is there twice; the first is on line {line}",
                    shown(&key)
                ),
            );
            return;
        }
        if key.contains('\0') {
            builder.error(key_position, "a key must not contain NUL characters");
            return;
        }
        self.lines.insert(key.clone(), key_position.line);
        self.entries.push(Entry {
            key,
            key_position,
            value,
        });
    }

    pub(super) fn finish(self) -> NodeValue {
        NodeValue::Object(self.entries)
    }
}
