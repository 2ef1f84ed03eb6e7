//! The cause of an event: the invocation or run that emitted it, and the cause of that.
//!
//! It is stored in columns of the event, so that it costs no row and no index entry of its own.

use sluice_model::{EventAddress, InvocationId, TraceContext};

use crate::{
    error::Result,
    inbox::InboxKind,
    params,
    row::Row,
    value::{FromValue, Value, text},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The invocation of the source, or the run of the workflow.
    pub invocation: InvocationId,
    pub cause: Cause,
    /// From the dispatch of the invocation to its end. None for a run.
    pub duration_ms: Option<u64>,
    pub trace: Option<TraceContext>,
}

/// The cause of an invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause(String);

impl Cause {
    /// The text of an event address, or the kind of another cause.
    pub fn new(text: impl Into<String>) -> Cause {
        Cause(text.into())
    }

    /// The cause of an inbox row.
    pub fn of(kind: InboxKind, prop: Option<&str>) -> Cause {
        match (kind, prop) {
            (InboxKind::Event, Some(event)) => Cause::new(event),
            (kind, _) => Cause::new(kind.as_str()),
        }
    }

    /// The event, if it was one.
    pub fn event(&self) -> Option<EventAddress> {
        EventAddress::parse(&self.0)
    }

    /// `http`, `timer`, `manual`, `hook` or `event`.
    pub fn kind(&self) -> &str {
        match self.event() {
            Some(_) => "event",
            None => &self.0,
        }
    }
}

impl FromValue for Cause {
    fn from_value(value: Value<'_>) -> Option<Self> {
        text(value).map(Cause::new)
    }
}

/// The columns of a [`Provenance`]. All are null when it is missing.
pub(crate) const COLUMNS: &str = "invocation_id, cause, duration_ms, trace";

/// The values of [`COLUMNS`].
pub(crate) fn values(provenance: Option<&Provenance>) -> [Value<'_>; 4] {
    match provenance {
        None => [Value::Null; 4],
        Some(Provenance {
            invocation,
            cause: Cause(cause),
            duration_ms,
            trace,
        }) => *params![invocation, cause, *duration_ms, trace.as_ref()],
    }
}

/// Reads [`COLUMNS`], which begin at `first`.
pub(crate) fn read(row: &Row<'_>, first: usize) -> Result<Option<Provenance>> {
    let (Some(invocation), Some(cause)) = (row.get(first)?, row.get(first + 1)?) else {
        return Ok(None);
    };
    Ok(Some(Provenance {
        invocation,
        cause,
        duration_ms: row.get(first + 2)?,
        trace: row.get(first + 3)?,
    }))
}
