//! Following the events and the log of a source while they happen.

mod feed;
mod text;

use sluice_api::{EventSummary, LogLine};
use sluice_model::{EventId, SourceId};

pub(crate) use self::{
    feed::Feed,
    text::{Form, event_text, line_text},
};
use crate::{
    client::{Client, ClientError, escaped},
    commands::output::{complain, show},
};

/// Before everything that a source has emitted or logged.
pub(crate) const BEGINNING: EventId = EventId { ms: 0, seq: 0 };

/// The events of a source after the given one; without one, from now on. Without a channel, those of all but the server's own.
pub(crate) async fn events(
    client: &Client,
    source: &SourceId,
    channel: Option<&str>,
    after: Option<EventId>,
) -> Result<Feed<EventSummary>, ClientError> {
    let selection = channel.map(|name| format!("?event_name={}", escaped(name)));
    let path = format!("/sources/{source}/sse{}", selection.unwrap_or_default());
    Feed::open(client, path, after).await
}

/// The log of a source after the given line; without one, from now on. [`place_of`] says which that is.
pub(crate) async fn lines(
    client: &Client,
    source: &SourceId,
    after: Option<EventId>,
) -> Result<Feed<LogLine>, ClientError> {
    Feed::open(client, format!("/sse/dc/{source}/observations"), after).await
}

/// Where a line stands in the stream of its log.
pub(crate) fn place_of(line: &LogLine) -> Option<EventId> {
    let seq = line.id.parse().ok()?;
    Some(EventId { ms: line.ts, seq })
}

/// Shows events as they come, until the source is deleted.
pub(crate) async fn show_events(mut events: Feed<EventSummary>, form: Form) -> anyhow::Result<()> {
    while let Some(event) = events.next().await {
        show(&event_text(&event?, form))?;
    }
    Ok(complain("The source is deleted\n")?)
}

/// Shows log lines as they come, until the source is deleted.
pub(crate) async fn show_lines(mut lines: Feed<LogLine>, form: Form) -> anyhow::Result<()> {
    while let Some(line) = lines.next().await {
        show(&line_text(&line?, form))?;
    }
    Ok(complain("The source is deleted\n")?)
}
