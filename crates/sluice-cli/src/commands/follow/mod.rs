//! Following the events and the log of a source.

mod feed;
mod text;

use sluice_api::{EventSummary, LogLine};
use sluice_model::{EventId, SourceId};

pub(crate) use self::{
    feed::Feed,
    text::{Format, event_text, line_text},
};
use crate::{
    client::{Client, ClientError, escaped},
    commands::output::{show, show_stderr},
};

/// The position before the first event or log line.
pub(crate) const BEGINNING: EventId = EventId { ms: 0, seq: 0 };

/// Which events to follow. Without a channel, those of all channels but `$…`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Selection<'a> {
    pub(crate) channel: Option<&'a str>,
    pub(crate) query: Option<&'a str>,
}

/// The events of a source after `after`, or from now on.
pub(crate) async fn events(
    client: &Client,
    source: &SourceId,
    selection: Selection<'_>,
    after: Option<EventId>,
) -> Result<Feed<EventSummary>, ClientError> {
    let Selection { channel, query } = selection;
    let parameters = parameters(&[("event_name", channel), ("q", query)]);
    Feed::open(client, format!("/sources/{source}/sse{parameters}"), after).await
}

/// The log of a source after `after` (see [`position_of`]), or from now on.
pub(crate) async fn lines(
    client: &Client,
    source: &SourceId,
    query: Option<&str>,
    after: Option<EventId>,
) -> Result<Feed<LogLine>, ClientError> {
    let parameters = parameters(&[("q", query)]);
    let path = format!("/sse/dc/{source}/observations{parameters}");
    Feed::open(client, path, after).await
}

/// The query string with the values that are given.
fn parameters(values: &[(&str, Option<&str>)]) -> String {
    let mut text = String::new();
    for (name, value) in values {
        if let Some(value) = value {
            text.push(if text.is_empty() { '?' } else { '&' });
            text.extend([name, "=", escaped(value).as_str()]);
        }
    }
    text
}

/// The position of a line in the stream of its log.
pub(crate) fn position_of(line: &LogLine) -> Option<EventId> {
    let seq = line.id.parse().ok()?;
    Some(EventId { ms: line.ts, seq })
}

/// Shows events until the source is deleted.
pub(crate) async fn show_events(
    mut events: Feed<EventSummary>,
    format: Format,
) -> anyhow::Result<()> {
    while let Some(event) = events.next().await {
        show(&event_text(&event?, format))?;
    }
    Ok(show_stderr("The source was deleted\n")?)
}

/// Shows log lines until the source is deleted.
pub(crate) async fn show_lines(mut lines: Feed<LogLine>, format: Format) -> anyhow::Result<()> {
    while let Some(line) = lines.next().await {
        show(&line_text(&line?, format))?;
    }
    Ok(show_stderr("The source was deleted\n")?)
}
