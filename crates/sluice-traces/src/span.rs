//! A span that has ended.

use std::time::Duration;

use sluice_model::TraceContext;

/// Longer errors are cut, in characters.
const MAX_ERROR: usize = 500;
/// Further links of a span are dropped.
pub const MAX_LINKS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    Internal,
    /// A request that the server answers.
    Server,
    /// A request that the server makes.
    Client,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    Text(String),
    Number(i64),
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Attribute {
        Attribute::Text(text.to_owned())
    }
}

impl From<String> for Attribute {
    fn from(text: String) -> Attribute {
        Attribute::Text(text)
    }
}

impl From<u16> for Attribute {
    fn from(number: u16) -> Attribute {
        Attribute::Number(number.into())
    }
}

impl From<u32> for Attribute {
    fn from(number: u32) -> Attribute {
        Attribute::Number(number.into())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The span itself, in its trace.
    pub context: TraceContext,
    /// The span that caused it; none at the beginning of a trace.
    pub parent: Option<u64>,
    pub name: String,
    pub kind: SpanKind,
    /// Epoch milliseconds.
    pub started_at: i64,
    pub duration: Duration,
    pub attributes: Vec<(&'static str, Attribute)>,
    /// Spans of other traces that it concerns.
    pub links: Vec<TraceContext>,
    /// Why it failed.
    pub error: Option<String>,
}

impl Span {
    pub fn new(
        context: &TraceContext,
        parent: Option<&TraceContext>,
        name: impl Into<String>,
        kind: SpanKind,
        started_at: i64,
        duration: Duration,
    ) -> Span {
        Span {
            context: context.clone(),
            parent: parent.map(TraceContext::span_id),
            name: name.into(),
            kind,
            started_at,
            duration,
            attributes: Vec::new(),
            links: Vec::new(),
            error: None,
        }
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Attribute>) -> Span {
        self.attributes.push((name, value.into()));
        self
    }

    #[must_use]
    pub fn linked(mut self, links: impl IntoIterator<Item = TraceContext>) -> Span {
        let room = MAX_LINKS.saturating_sub(self.links.len());
        self.links.extend(links.into_iter().take(room));
        self
    }

    #[must_use]
    pub fn failed(mut self, error: Option<String>) -> Span {
        // Spans wait in memory, and components choose the text.
        self.error = error.map(|error| error.chars().take(MAX_ERROR).collect());
        self
    }
}
