//! A document as a tree, each part with its place.

use serde_json::Number;

use super::scalar;
use crate::workflow::{fault::Reported, places::Place};

#[derive(Debug, Clone)]
pub(in crate::workflow) struct Node {
    pub(in crate::workflow) place: Place,
    pub(in crate::workflow) value: NodeValue,
}

#[derive(Debug, Clone)]
pub(in crate::workflow) enum NodeValue {
    /// What is wrong with it need not be reported again.
    Invalid(Reported),
    Null,
    Bool(bool),
    /// As it was written: what becomes of it depends on who reads it.
    Number(String),
    Text(Text),
    List(Vec<Node>),
    Object(Vec<Entry>),
}

#[derive(Debug, Clone)]
pub(in crate::workflow) struct Entry {
    pub(in crate::workflow) key: String,
    pub(in crate::workflow) key_place: Place,
    pub(in crate::workflow) value: Node,
}

#[derive(Debug, Clone)]
pub(in crate::workflow) struct Text {
    pub(in crate::workflow) text: String,
    /// Where its first character stands, when it stands in the document line for line as it reads.
    pub(in crate::workflow) origin: Option<Place>,
}

impl Node {
    pub(in crate::workflow) fn entry(&self, key: &str) -> Option<&Entry> {
        let NodeValue::Object(entries) = &self.value else {
            return None;
        };
        entries.iter().find(|entry| entry.key == key)
    }

    pub(in crate::workflow) fn items(&self) -> &[Node] {
        match &self.value {
            NodeValue::List(items) => items,
            _ => &[],
        }
    }

    /// About the bytes it takes in memory.
    pub(super) fn weight(&self) -> usize {
        let below: usize = match &self.value {
            NodeValue::Text(text) => text.text.len(),
            NodeValue::Number(written) => written.len(),
            NodeValue::List(items) => items.iter().map(Node::weight).sum(),
            NodeValue::Object(entries) => {
                let each = entries
                    .iter()
                    .map(|entry| size_of::<Entry>() + entry.key.len() + entry.value.weight());
                each.sum()
            }
            NodeValue::Invalid(_) | NodeValue::Null | NodeValue::Bool(_) => 0,
        };
        size_of::<Node>() + below
    }
}

impl NodeValue {
    /// As a message names it: "must be a string, not a list".
    pub(super) fn kind(&self) -> &'static str {
        match self {
            NodeValue::Invalid(_) | NodeValue::Null => "nothing",
            NodeValue::Bool(_) => "a boolean",
            NodeValue::Number(_) => "a number",
            NodeValue::Text(_) => "a string",
            NodeValue::List(_) => "a list",
            NodeValue::Object(_) => "an object",
        }
    }

    /// A number that JSON can hold.
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            NodeValue::Number(written) => scalar::number(written),
            _ => None,
        }
    }
}

impl Text {
    /// Where the character at a line and a column of the text stands, if that can be told.
    pub(in crate::workflow) fn place_of(&self, line: u32, column: u32) -> Option<Place> {
        let origin = self.origin?;
        Some(Place {
            line: origin.line.saturating_add(line.saturating_sub(1)),
            column: origin.column.saturating_add(column.saturating_sub(1)),
        })
    }

    /// Likewise, for a byte of the text.
    pub(super) fn place_of_offset(&self, offset: usize) -> Option<Place> {
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        self.place_of(u32::try_from(line).ok()?, u32::try_from(column).ok()?)
    }
}
