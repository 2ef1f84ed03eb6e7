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

/// The events of a source after `after`, or from now on. Without a channel, those of all channels but `$…`.
pub(crate) async fn events(
    client: &Client,
    source: &SourceId,
    channel: Option<&str>,
    after: Option<EventId>,
) -> Result<Feed<EventSummary>, ClientError> {
    let query = channel.map(|name| format!("?event_name={}", escaped(name)));
    let path = format!("/sources/{source}/sse{}", query.unwrap_or_default());
    Feed::open(client, path, after).await
}

/// The log of a source after `after` (see [`position_of`]), or from now on.
pub(crate) async fn lines(
    client: &Client,
    source: &SourceId,
    after: Option<EventId>,
) -> Result<Feed<LogLine>, ClientError> {
    Feed::open(client, format!("/sse/dc/{source}/observations"), after).await
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
