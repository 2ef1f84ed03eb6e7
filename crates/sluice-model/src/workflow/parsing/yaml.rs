//! Parses YAML into a tree. Tags, merge keys and keys that are not text are errors.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::{
    lines::Lines,
    node::{Node, NodeValue},
    tree_builder::{Object, TreeBuilder},
};
use crate::workflow::{
    error::{ErrorCollector, ErrorReported, ParseResult},
    path::{PathPart, shown},
    position::Position,
};

/// Limits the memory, in bytes, that aliases add to a document.
const MAX_REPEATED: usize = 1 << 20;

const NEEDS_QUOTES: &str =
    "text that begins with {{ needs quotes around it, since { begins an object in YAML";

/// The tree of the document.
pub(super) fn read(text: &str, errors: &ErrorCollector) -> ParseResult<Node> {
    let mut reader = Reader {
        lines: Lines::of(text),
        parser: Parser::new_from_str(text),
        builder: TreeBuilder::new(errors),
        anchors: HashMap::new(),
        repeated: 0,
        unquoted: None,
    };
    reader.document()
}

struct Reader<'a, 'f> {
    lines: Lines<'a>,
    parser: Parser<'a, StrInput<'a>>,
    builder: TreeBuilder<'f>,
    /// Values that aliases may repeat, once they are complete.
    anchors: HashMap<usize, Node>,
    repeated: usize,
    /// The line and the error of the last expression without quotes.
    unquoted: Option<(u32, ErrorReported)>,
}

impl<'a> Reader<'a, '_> {
    fn document(&mut self) -> ParseResult<Node> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(_) if root.is_some() => {
                    let message = "a second document begins here, but a file holds one workflow";
                    self.builder.error(self.position(span.start), message);
                    break;
                }
                Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
                event => root = Some(self.node(event, span)?),
            }
        }
        root.ok_or_else(|| {
            let start = Position { line: 1, column: 1 };
            self.builder.error(start, "the document is empty")
        })
    }

    fn next(&mut self) -> ParseResult<(Event<'a>, Span)> {
        let next = self.parser.next_event();
        let next = next.expect("nothing is asked for behind the end of the stream");
        next.map_err(|error| self.syntax_error(&error))
    }

    /// Reports why the text is not YAML. The usual cause is an expression without quotes.
    fn syntax_error(&self, error: &ScanError) -> ErrorReported {
        let position = self.position(*error.marker());
        if let Some((line, reported)) = self.unquoted
            && line == position.line
        {
            return reported;
        }
        let line = self.lines.line(error.marker().line());
        let message = if line.contains(": {{") || line.contains("- {{") {
            NEEDS_QUOTES.to_owned()
        } else {
            format!("this is not YAML: {}", error.info())
        };
        self.builder.document_error(position, message)
    }

    fn node(&mut self, event: Event<'a>, span: Span) -> ParseResult<Node> {
        let position = self.position(span.start);
        let (value, anchor, tag) = match event {
            Event::Alias(anchor) => return self.alias(anchor, position),
            Event::Scalar(text, style, anchor, tag) => {
                (self.scalar(text.into_owned(), style, span), anchor, tag)
            }
            Event::SequenceStart(anchor, tag) => (self.list()?, anchor, tag),
            Event::MappingStart(anchor, tag) => (self.object(position)?, anchor, tag),
            other => unreachable!("{other:?} is where the parser promises a value"),
        };
        let value = match tag {
            None => value,
            Some(tag) => {
                let message = format!(
                    "has a tag, `{}`; tags are not supported",
                    shown(&tag.suffix)
                );
                NodeValue::Invalid(self.builder.error(position, message))
            }
        };
        let node = Node { position, value };
        if anchor != 0 {
            self.count_repeated(&node, position)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn alias(&mut self, anchor: usize, position: Position) -> ParseResult<Node> {
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            let message = "is an alias of a key, or of something that it is part of";
            return Err(self.builder.error(position, message));
        };
        self.count_repeated(&node, position)?;
        Ok(node)
    }

    fn count_repeated(&mut self, node: &Node, position: Position) -> ParseResult<()> {
        self.repeated += node.weight();
        if self.repeated > MAX_REPEATED {
            let message = "anchors and aliases repeat too much; make what they repeat smaller";
            return Err(self.builder.error(position, message));
        }
        Ok(())
    }

    fn scalar(&self, text: String, style: ScalarStyle, span: Span) -> NodeValue {
        let plain = (style == ScalarStyle::Plain).then(|| NodeValue::of_plain(&text));
        if let Some(value) = plain.flatten() {
            return value;
        }
        let position = self.position(span.start);
        let origin = self.origin(&text, style, position);
        self.builder.text(text, position, origin)
    }

    /// The start of the text, if the document contains it without escapes or folding.
    fn origin(&self, text: &str, style: ScalarStyle, position: Position) -> Option<Position> {
        let quote = match style {
            ScalarStyle::Literal => {
                // The parser points to the first line that is not blank.
                let blank = text.bytes().take_while(|byte| *byte == b'\n').count();
                let line = position.line.checked_sub(u32::try_from(blank).ok()?)?;
                return Some(Position { line, ..position });
            }
            ScalarStyle::Folded => return None,
            ScalarStyle::Plain => "",
            ScalarStyle::SingleQuoted => "'",
            ScalarStyle::DoubleQuoted => "\"",
        };
        let written = self.lines.rest_of_line(position)?;
        let behind = written.strip_prefix(quote)?.strip_prefix(text)?;
        behind.starts_with(quote).then(|| Position {
            column: position.column.saturating_add(u32::from(!quote.is_empty())),
            ..position
        })
    }

    fn list(&mut self) -> ParseResult<NodeValue> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok(NodeValue::List(items));
            }
            let part = PathPart::Index(items.len());
            let before = self.builder.enter(part, self.position(span.start))?;
            items.push(self.node(event, span)?);
            self.builder.leave(&before);
        }
    }

    fn object(&mut self, position: Position) -> ParseResult<NodeValue> {
        let mut object = Object::default();
        let mut expression = None;
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let key_position = self.position(span.start);
            let key = match event {
                Event::Scalar(text, style, _, None) => {
                    self.key(text.into_owned(), style, key_position)
                }
                event => {
                    let touches = key_position.line == position.line
                        && key_position.column == position.column.saturating_add(1);
                    if touches && matches!(event, Event::MappingStart(..)) {
                        let error = self.builder.error(position, NEEDS_QUOTES);
                        expression = Some(error);
                        self.unquoted = Some((position.line, error));
                    } else {
                        self.builder.error(key_position, "a key must be a string");
                    }
                    self.skip_key(event)?;
                    None
                }
            };
            let part = PathPart::Key(key.as_deref().unwrap_or("?"));
            let before = self.builder.enter(part, key_position)?;
            let (event, span) = self.next()?;
            let value = self.node(event, span)?;
            if let Some(key) = key {
                object.add(&self.builder, key, key_position, value);
            }
            self.builder.leave(&before);
        }
        Ok(expression.map_or_else(|| object.finish(), NodeValue::Invalid))
    }

    /// None for an invalid key, whose error is reported.
    fn key(&self, text: String, style: ScalarStyle, position: Position) -> Option<String> {
        let is_plain = style == ScalarStyle::Plain;
        if is_plain && text == "<<" {
            let message = "merge keys (<<) are not part of YAML 1.2; write the fields out";
            self.builder.error(position, message);
            return None;
        }
        if is_plain && NodeValue::of_plain(&text).is_some() {
            let message = format!("a key must be a string; put `{}` in quotes", shown(&text));
            self.builder.error(position, message);
            return None;
        }
        Some(text)
    }

    /// Skips a key that is not text, without errors about its parts.
    fn skip_key(&mut self, event: Event<'a>) -> ParseResult<()> {
        let mut depth = 0_usize;
        let mut event = event;
        loop {
            match event {
                Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
                Event::MappingEnd | Event::SequenceEnd => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
            (event, _) = self.next()?;
        }
    }

    fn position(&self, marker: Marker) -> Position {
        self.lines.position(marker.line(), marker.col() + 1)
    }
}
