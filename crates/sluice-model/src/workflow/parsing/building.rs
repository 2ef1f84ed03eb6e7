//! What building a tree from YAML and from JSON have in common.

use std::collections::HashMap;

use super::node::{Entry, Node, NodeValue, Text};
use crate::workflow::{
    fault::{Faults, Read, Reported},
    path::{PathPart, push_part, shown},
    places::Place,
};

/// Stays well below what readers of JSON take, also with what a definition puts around it.
const MAX_DEPTH: usize = 64;
/// Bounds the memory that a document of short parts takes.
const MAX_PARTS: usize = 100_000;

/// Where in the tree the reader is.
pub(super) struct Building<'f> {
    faults: &'f Faults,
    path: String,
    depth: usize,
    parts: usize,
}

/// An object whose entries come one by one.
#[derive(Default)]
pub(super) struct Object {
    entries: Vec<Entry>,
    lines: HashMap<String, u32>,
}

/// To come back to where it was before a part was entered.
pub(super) struct Entered(usize);

impl<'f> Building<'f> {
    pub(super) fn new(faults: &'f Faults) -> Self {
        Building {
            faults,
            path: String::new(),
            depth: 0,
            parts: 0,
        }
    }

    pub(super) fn fault(&self, place: Place, message: impl Into<String>) -> Reported {
        self.faults.add(place, &self.path, message)
    }

    /// A fault of the text itself, which has no path.
    pub(super) fn fault_of_document(&self, place: Place, message: impl Into<String>) -> Reported {
        self.faults.add(place, "", message)
    }

    /// Goes to a part of where it is. Not when that is one too many, or too deep.
    pub(super) fn enter(&mut self, part: PathPart<'_>, place: Place) -> Read<Entered> {
        if self.depth == MAX_DEPTH {
            let message = format!("is nested more than {MAX_DEPTH} levels deep");
            return Err(self.fault(place, message));
        }
        self.parts += 1;
        if self.parts > MAX_PARTS {
            let message = format!("the document has more than {MAX_PARTS} parts");
            return Err(self.fault(place, message));
        }
        let before = Entered(self.path.len());
        push_part(&mut self.path, part);
        self.depth += 1;
        Ok(before)
    }

    pub(super) fn leave(&mut self, before: &Entered) {
        self.path.truncate(before.0);
        self.depth -= 1;
    }

    pub(super) fn text(&self, text: String, place: Place, origin: Option<Place>) -> NodeValue {
        if text.contains('\0') {
            let fault = self.fault(place, "must not contain NUL characters");
            return NodeValue::Invalid(fault);
        }
        NodeValue::Text(Text { text, origin })
    }
}

impl Object {
    /// Adds an entry; `building` is at its value, not at the object.
    pub(super) fn add(
        &mut self,
        building: &Building<'_>,
        key: String,
        key_place: Place,
        value: Node,
    ) {
        if let Some(line) = self.lines.get(&key) {
            building.fault(
                key_place,
                format!(
                    "`{}` is there twice; the first is on line {line}",
                    shown(&key)
                ),
            );
            return;
        }
        if key.contains('\0') {
            building.fault(key_place, "a key must not contain NUL characters");
            return;
        }
        self.lines.insert(key.clone(), key_place.line);
        self.entries.push(Entry {
            key,
            key_place,
            value,
        });
    }

    pub(super) fn finish(self) -> NodeValue {
        NodeValue::Object(self.entries)
    }
}
