//! JSON as a tree. Nearly all JSON is YAML, but not all of it: pairs of `\u` escapes, for one, are two letters there.

use serde_json::Value;

use super::{
    building::{Building, Object},
    node::{Node, NodeValue},
};
use crate::workflow::{
    fault::{Faults, Read},
    path::PathPart,
    places::Place,
};

/// The tree of a text that is an object in JSON; none when it is not.
pub(super) fn read(text: &str, faults: &Faults) -> Option<Read<Node>> {
    let is_object = text.trim_start().starts_with('{');
    let is_json = is_object && serde_json::from_str::<Value>(text).is_ok();
    is_json.then(|| {
        let mut reader = Reader {
            rest: text,
            place: Place { line: 1, column: 1 },
            building: Building::new(faults),
        };
        reader.skip_blanks();
        reader.node()
    })
}

/// Goes through a text that is known to be JSON, so that nothing needs to be checked on the way.
struct Reader<'a, 'f> {
    rest: &'a str,
    place: Place,
    building: Building<'f>,
}

impl<'a> Reader<'a, '_> {
    /// The value that begins here.
    fn node(&mut self) -> Read<Node> {
        let place = self.place;
        let value = match self.rest.as_bytes()[0] {
            b'{' => self.object()?,
            b'[' => self.list()?,
            b'"' => {
                let (text, origin) = self.string();
                self.building.text(text, place, origin)
            }
            _ => self.word(),
        };
        Ok(Node { place, value })
    }

    fn object(&mut self) -> Read<NodeValue> {
        let mut object = Object::default();
        self.advance_over(1);
        while !self.at_end_of('}') {
            let key_place = self.place;
            let (key, _) = self.string();
            self.skip_blanks();
            // The colon.
            self.advance_over(1);
            self.skip_blanks();
            let before = self.building.enter(PathPart::Key(&key), key_place)?;
            let value = self.node()?;
            object.add(&self.building, key, key_place, value);
            self.building.leave(&before);
        }
        Ok(object.finish())
    }

    fn list(&mut self) -> Read<NodeValue> {
        let mut items = Vec::new();
        self.advance_over(1);
        while !self.at_end_of(']') {
            let part = PathPart::Index(items.len());
            let before = self.building.enter(part, self.place)?;
            items.push(self.node()?);
            self.building.leave(&before);
        }
        Ok(NodeValue::List(items))
    }

    /// Goes to the next entry or item, or behind the bracket that ends them.
    fn at_end_of(&mut self, bracket: char) -> bool {
        self.skip_blanks();
        if self.rest.starts_with(',') {
            self.advance_over(1);
            self.skip_blanks();
        }
        let ended = self.rest.starts_with(bracket);
        if ended {
            self.advance_over(1);
        }
        ended
    }

    fn string(&mut self) -> (String, Option<Place>) {
        let origin = Place {
            column: self.place.column.saturating_add(1),
            ..self.place
        };
        let mut escaped = false;
        let inside = self.rest[1..].find(|char| {
            let ends = char == '"' && !escaped;
            escaped = char == '\\' && !escaped;
            ends
        });
        let written = self.advance_over(inside.expect("the end of a string") + 2);
        let text: String = serde_json::from_str(written).expect("a string");
        let as_written = text.len() + 2 == written.len();
        (text, as_written.then_some(origin))
    }

    fn word(&mut self) -> NodeValue {
        let end = |char: char| matches!(char, ',' | ']' | '}') || char.is_ascii_whitespace();
        let length = self.rest.find(end).unwrap_or(self.rest.len());
        match self.advance_over(length) {
            "null" => NodeValue::Null,
            "true" => NodeValue::Bool(true),
            "false" => NodeValue::Bool(false),
            number => NodeValue::Number(number.to_owned()),
        }
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest.len() - self.rest.trim_ascii_start().len();
        self.advance_over(blanks);
    }

    fn advance_over(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        let mut chars = passed.chars().chain(rest.chars().next()).peekable();
        for _ in 0..passed.chars().count() {
            let ends_line = match chars.next() {
                Some('\r') => chars.peek() != Some(&'\n'),
                char => char == Some('\n'),
            };
            if ends_line {
                self.place.line = self.place.line.saturating_add(1);
                self.place.column = 1;
            } else {
                self.place.column = self.place.column.saturating_add(1);
            }
        }
        self.rest = rest;
        passed
    }
}
