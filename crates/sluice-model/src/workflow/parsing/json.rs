//! Parses JSON into a tree. The YAML parser would misread some JSON, such as pairs of `\u` escapes.

use serde_json::Value;

use super::{
    node::{Node, NodeValue},
    tree_builder::{Object, TreeBuilder},
};
use crate::workflow::{
    error::{ErrorCollector, ParseResult},
    path::PathPart,
    position::Position,
};

/// The tree of a JSON object. None when the text is not one.
pub(super) fn read(text: &str, errors: &ErrorCollector) -> Option<ParseResult<Node>> {
    let is_object = text.trim_start().starts_with('{');
    let is_json = is_object && serde_json::from_str::<Value>(text).is_ok();
    is_json.then(|| {
        let mut reader = Reader {
            rest: text,
            position: Position { line: 1, column: 1 },
            builder: TreeBuilder::new(errors),
        };
        reader.skip_blanks();
        reader.node()
    })
}

/// Reads text that is valid JSON, without further checks.
struct Reader<'a, 'f> {
    rest: &'a str,
    position: Position,
    builder: TreeBuilder<'f>,
}

impl<'a> Reader<'a, '_> {
    /// The value that begins here.
    fn node(&mut self) -> ParseResult<Node> {
        let position = self.position;
        let value = match self.rest.as_bytes()[0] {
            b'{' => self.object()?,
            b'[' => self.list()?,
            b'"' => {
                let (text, origin) = self.string();
                self.builder.text(text, position, origin)
            }
            _ => self.word(),
        };
        Ok(Node { position, value })
    }

    fn object(&mut self) -> ParseResult<NodeValue> {
        let mut object = Object::default();
        self.advance_over(1);
        while !self.at_end_of('}') {
            let key_position = self.position;
            let (key, _) = self.string();
            self.skip_blanks();
            // The colon.
            self.advance_over(1);
            self.skip_blanks();
            let before = self.builder.enter(PathPart::Key(&key), key_position)?;
            let value = self.node()?;
            object.add(&self.builder, key, key_position, value);
            self.builder.leave(&before);
        }
        Ok(object.finish())
    }

    fn list(&mut self) -> ParseResult<NodeValue> {
        let mut items = Vec::new();
        self.advance_over(1);
        while !self.at_end_of(']') {
            let part = PathPart::Index(items.len());
            let before = self.builder.enter(part, self.position)?;
            items.push(self.node()?);
            self.builder.leave(&before);
        }
        Ok(NodeValue::List(items))
    }

    /// Moves to the next entry or item, or past the closing bracket.
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

    fn string(&mut self) -> (String, Option<Position>) {
        let origin = Position {
            column: self.position.column.saturating_add(1),
            ..self.position
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
                self.position.line = self.position.line.saturating_add(1);
                self.position.column = 1;
            } else {
                self.position.column = self.position.column.saturating_add(1);
            }
        }
        self.rest = rest;
        passed
    }
}
