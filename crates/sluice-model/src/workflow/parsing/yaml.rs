//! YAML as a tree. What makes no sense in a document (tags, merge keys, keys that are not text) is reported.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::{
    building::{Building, Object},
    lines::Lines,
    node::{Node, NodeValue},
    scalar,
};
use crate::workflow::{
    fault::{Faults, Read, Reported},
    path::{PathPart, shown},
    places::Place,
};

/// What aliases may add to a document, in bytes of memory: enough to share settings, too little to blow up.
const MAX_REPEATED: usize = 1 << 20;

const NEEDS_QUOTES: &str =
    "text that begins with {{ needs quotes around it, since { begins an object in YAML";

/// The tree of the document.
pub(super) fn read(text: &str, faults: &Faults) -> Read<Node> {
    let mut reader = Reader {
        lines: Lines::of(text),
        parser: Parser::new_from_str(text),
        building: Building::new(faults),
        anchors: HashMap::new(),
        repeated: 0,
        unquoted: None,
    };
    reader.document()
}

struct Reader<'a, 'f> {
    lines: Lines<'a>,
    parser: Parser<'a, StrInput<'a>>,
    building: Building<'f>,
    /// Values that aliases may repeat, once they are complete.
    anchors: HashMap<usize, Node>,
    repeated: usize,
    /// The last expression that lacks quotes, by its line.
    unquoted: Option<(u32, Reported)>,
}

impl<'a> Reader<'a, '_> {
    fn document(&mut self) -> Read<Node> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(_) if root.is_some() => {
                    let message = "a second document begins here, but a file holds one workflow";
                    self.building.fault(self.place(span.start), message);
                    break;
                }
                Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
                event => root = Some(self.node(event, span)?),
            }
        }
        root.ok_or_else(|| {
            let start = Place { line: 1, column: 1 };
            self.building.fault(start, "the document is empty")
        })
    }

    fn next(&mut self) -> Read<(Event<'a>, Span)> {
        let next = self.parser.next_event();
        let next = next.expect("nothing is asked for behind the end of the stream");
        next.map_err(|fault| self.syntax_fault(&fault))
    }

    /// Tells why the text is not YAML. Most often it is an expression without quotes.
    fn syntax_fault(&self, fault: &ScanError) -> Reported {
        let place = self.place(*fault.marker());
        if let Some((line, reported)) = self.unquoted
            && line == place.line
        {
            return reported;
        }
        let line = self.lines.line(fault.marker().line());
        let message = if line.contains(": {{") || line.contains("- {{") {
            NEEDS_QUOTES.to_owned()
        } else {
            format!("this is not YAML: {}", fault.info())
        };
        self.building.fault_of_document(place, message)
    }

    fn node(&mut self, event: Event<'a>, span: Span) -> Read<Node> {
        let place = self.place(span.start);
        let (value, anchor, tag) = match event {
            Event::Alias(anchor) => return self.alias(anchor, place),
            Event::Scalar(text, style, anchor, tag) => {
                (self.scalar(text.into_owned(), style, span), anchor, tag)
            }
            Event::SequenceStart(anchor, tag) => (self.list()?, anchor, tag),
            Event::MappingStart(anchor, tag) => (self.object(place)?, anchor, tag),
            other => unreachable!("{other:?} is where the parser promises a value"),
        };
        let value = match tag {
            None => value,
            Some(tag) => {
                let message = format!(
                    "has a tag, `{}`; tags are not supported",
                    shown(&tag.suffix)
                );
                NodeValue::Invalid(self.building.fault(place, message))
            }
        };
        let node = Node { place, value };
        if anchor != 0 {
            self.count_repeated(&node, place)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn alias(&mut self, anchor: usize, place: Place) -> Read<Node> {
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            let message = "is an alias of a key, or of something that it is part of";
            return Err(self.building.fault(place, message));
        };
        self.count_repeated(&node, place)?;
        Ok(node)
    }

    fn count_repeated(&mut self, node: &Node, place: Place) -> Read<()> {
        self.repeated += node.weight();
        if self.repeated > MAX_REPEATED {
            let message = "anchors and aliases repeat too much; make what they repeat smaller";
            return Err(self.building.fault(place, message));
        }
        Ok(())
    }

    fn scalar(&self, text: String, style: ScalarStyle, span: Span) -> NodeValue {
        let plain = (style == ScalarStyle::Plain).then(|| scalar::plain(&text));
        if let Some(value) = plain.flatten() {
            return value;
        }
        let place = self.place(span.start);
        let origin = self.origin(&text, style, place);
        self.building.text(text, place, origin)
    }

    /// Where the text begins, if it stands in the document as it reads.
    fn origin(&self, text: &str, style: ScalarStyle, place: Place) -> Option<Place> {
        let quote = match style {
            ScalarStyle::Literal => {
                // The parser points to the first line that is not blank.
                let blank = text.bytes().take_while(|byte| *byte == b'\n').count();
                let line = place.line.checked_sub(u32::try_from(blank).ok()?)?;
                return Some(Place { line, ..place });
            }
            ScalarStyle::Folded => return None,
            ScalarStyle::Plain => "",
            ScalarStyle::SingleQuoted => "'",
            ScalarStyle::DoubleQuoted => "\"",
        };
        let written = self.lines.rest_of_line(place)?;
        let behind = written.strip_prefix(quote)?.strip_prefix(text)?;
        behind.starts_with(quote).then(|| Place {
            column: place.column.saturating_add(u32::from(!quote.is_empty())),
            ..place
        })
    }

    fn list(&mut self) -> Read<NodeValue> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok(NodeValue::List(items));
            }
            let part = PathPart::Index(items.len());
            let before = self.building.enter(part, self.place(span.start))?;
            items.push(self.node(event, span)?);
            self.building.leave(&before);
        }
    }

    fn object(&mut self, place: Place) -> Read<NodeValue> {
        let mut object = Object::default();
        let mut expression = None;
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let key_place = self.place(span.start);
            let key = match event {
                Event::Scalar(text, style, _, None) => {
                    self.key(text.into_owned(), style, key_place)
                }
                event => {
                    let touches = key_place.line == place.line
                        && key_place.column == place.column.saturating_add(1);
                    if touches && matches!(event, Event::MappingStart(..)) {
                        let fault = self.building.fault(place, NEEDS_QUOTES);
                        expression = Some(fault);
                        self.unquoted = Some((place.line, fault));
                    } else {
                        self.building.fault(key_place, "a key must be a string");
                    }
                    self.skip_key(event)?;
                    None
                }
            };
            let part = PathPart::Key(key.as_deref().unwrap_or("?"));
            let before = self.building.enter(part, key_place)?;
            let (event, span) = self.next()?;
            let value = self.node(event, span)?;
            if let Some(key) = key {
                object.add(&self.building, key, key_place, value);
            }
            self.building.leave(&before);
        }
        Ok(expression.map_or_else(|| object.finish(), NodeValue::Invalid))
    }

    /// None for a key that cannot be one, which is reported.
    fn key(&self, text: String, style: ScalarStyle, place: Place) -> Option<String> {
        let is_plain = style == ScalarStyle::Plain;
        if is_plain && text == "<<" {
            let message = "merge keys (<<) are not part of YAML 1.2; write the fields out";
            self.building.fault(place, message);
            return None;
        }
        if is_plain && scalar::plain(&text).is_some() {
            let message = format!("a key must be a string; put `{}` in quotes", shown(&text));
            self.building.fault(place, message);
            return None;
        }
        Some(text)
    }

    /// Reads past a key that is no text. Nothing in it is worth a fault of its own.
    fn skip_key(&mut self, event: Event<'a>) -> Read<()> {
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

    fn place(&self, marker: Marker) -> Place {
        self.lines.place(marker.line(), marker.col() + 1)
    }
}
