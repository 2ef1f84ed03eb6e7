//! Where the parts of a document stand in its text, for mistakes that are found after it was parsed.

use super::{
    fault::DocumentFault,
    parsing::node::{Node, NodeValue},
    path::{PathPart, path_text},
};

/// Both count from 1; columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// Knows the place of everything in one document.
#[derive(Debug, Clone)]
pub struct Places {
    root: Node,
}

impl Places {
    pub(super) fn new(root: Node) -> Self {
        Places { root }
    }

    /// Where the value at `path` begins: `places.place(&["steps".into(), 1.into(), "action".into()])`.
    pub fn place(&self, path: &[PathPart<'_>]) -> Option<Place> {
        self.find(path).map(|node| node.place)
    }

    /// Where the key of the value at `path` begins.
    pub fn key_place(&self, path: &[PathPart<'_>]) -> Option<Place> {
        let (PathPart::Key(key), parents) = path.split_last()? else {
            return None;
        };
        let entry = self.find(parents)?.entry(key)?;
        Some(entry.key_place)
    }

    /// Where a character of the text at `path` stands, given by its line and its column in that text, from 1. A text that
    /// is folded or has escapes is not in the document as it reads: then where it begins.
    pub fn place_in_text(&self, path: &[PathPart<'_>], line: u32, column: u32) -> Option<Place> {
        let node = self.find(path)?;
        match &node.value {
            NodeValue::Text(text) => Some(text.place_of(line, column).unwrap_or(node.place)),
            _ => Some(node.place),
        }
    }

    /// A fault of the value at `path`, or of the nearest around it that the document has.
    pub fn fault(&self, path: &[PathPart<'_>], message: impl Into<String>) -> DocumentFault {
        let place = (0..=path.len())
            .rev()
            .find_map(|length| self.place(&path[..length]))
            .unwrap_or(self.root.place);
        DocumentFault::new(place, path_text(path), message)
    }

    fn find(&self, path: &[PathPart<'_>]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, part| match part {
            PathPart::Key(key) => node.entry(key).map(|entry| &entry.value),
            PathPart::Index(index) => node.items().get(*index),
        })
    }
}
