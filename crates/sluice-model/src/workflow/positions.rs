//! The positions of the parts of a document, for errors that are found after parsing.

use super::{
    error::DocumentError,
    parsing::node::{Node, NodeValue},
    path::{PathPart, path_text},
    position::Position,
};

/// The positions of all parts of one document.
#[derive(Debug, Clone)]
pub struct Positions {
    root: Node,
}

impl Positions {
    pub(super) fn new(root: Node) -> Self {
        Positions { root }
    }

    /// The start of the value at `path`: `positions.position(&["steps".into(), 1.into(), "action".into()])`.
    pub fn position(&self, path: &[PathPart<'_>]) -> Option<Position> {
        self.find(path).map(|node| node.position)
    }

    /// The start of the key of the value at `path`.
    pub fn key_position(&self, path: &[PathPart<'_>]) -> Option<Position> {
        let (PathPart::Key(key), parents) = path.split_last()? else {
            return None;
        };
        let entry = self.find(parents)?.entry(key)?;
        Some(entry.key_position)
    }

    /// The position of a line and a column, from 1, of the text at `path`. For text that is folded or has escapes, the start
    /// of the text.
    pub fn position_in_text(
        &self,
        path: &[PathPart<'_>],
        line: u32,
        column: u32,
    ) -> Option<Position> {
        let node = self.find(path)?;
        match &node.value {
            NodeValue::Text(text) => Some(text.position_of(line, column).unwrap_or(node.position)),
            _ => Some(node.position),
        }
    }

    /// An error of the value at `path`. If the document has no such value, its position is that of the nearest parent.
    pub fn error(&self, path: &[PathPart<'_>], message: impl Into<String>) -> DocumentError {
        let position = (0..=path.len())
            .rev()
            .find_map(|length| self.position(&path[..length]))
            .unwrap_or(self.root.position);
        DocumentError::new(position, path_text(path), message)
    }

    fn find(&self, path: &[PathPart<'_>]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, part| match part {
            PathPart::Key(key) => node.entry(key).map(|entry| &entry.value),
            PathPart::Index(index) => node.items().get(*index),
        })
    }
}
