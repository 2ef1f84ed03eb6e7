//! The tree of a document. Each part has its position.

use serde_json::Number;

use super::scalar;
use crate::workflow::{error::ErrorReported, position::Position};

#[derive(Debug, Clone)]
pub(in crate::workflow) struct Node {
    pub(in crate::workflow) position: Position,
    pub(in crate::workflow) value: NodeValue,
}

#[derive(Debug, Clone)]
pub(in crate::workflow) enum NodeValue {
    /// Its error is reported already.
    Invalid(ErrorReported),
    Null,
    Bool(bool),
    /// As it was written, because a prop takes a number and an environment value takes the text.
    Number(String),
    Text(Text),
    List(Vec<Node>),
    Object(Vec<Entry>),
}

#[derive(Debug, Clone)]
pub(in crate::workflow) struct Entry {
    pub(in crate::workflow) key: String,
    pub(in crate::workflow) key_position: Position,
    pub(in crate::workflow) value: Node,
}

#[derive(Debug, Clone)]
pub(in crate::workflow) struct Text {
    pub(in crate::workflow) text: String,
    /// The position of its first character, if the document contains the text without escapes or folding.
    pub(in crate::workflow) origin: Option<Position>,
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

    /// Its approximate size in memory, in bytes.
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
    /// The value of a plain scalar. None when it is text.
    pub(super) fn of_plain(word: &str) -> Option<NodeValue> {
        match word {
            "" | "~" | "null" | "Null" | "NULL" => Some(NodeValue::Null),
            "true" | "True" | "TRUE" => Some(NodeValue::Bool(true)),
            "false" | "False" | "FALSE" => Some(NodeValue::Bool(false)),
            _ => scalar::is_number(word).then(|| NodeValue::Number(word.to_owned())),
        }
    }

    /// Its name in a message: "must be a string, not a list".
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

    /// The number, if JSON can represent it.
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            NodeValue::Number(written) => scalar::number(written),
            _ => None,
        }
    }
}

impl Text {
    /// The position in the document of a line and a column of the text, if it is known.
    pub(in crate::workflow) fn position_of(&self, line: u32, column: u32) -> Option<Position> {
        let origin = self.origin?;
        Some(Position {
            line: origin.line.saturating_add(line.saturating_sub(1)),
            column: origin.column.saturating_add(column.saturating_sub(1)),
        })
    }

    /// The same for a byte of the text.
    pub(super) fn position_of_offset(&self, offset: usize) -> Option<Position> {
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        self.position_of(u32::try_from(line).ok()?, u32::try_from(column).ok()?)
    }
}
