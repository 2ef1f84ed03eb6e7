//! Maps events, log lines and traffic to frames of a stream.

use std::{error::Error, time::Duration};

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use sluice_engine::streams::{EventReader, LogReader, StreamEnd, StreamedEvent, TrafficReader};
use sluice_model::{EmitterId, EventId, SearchQuery, UserId};
use sluice_store::{
    events::StoredEvent,
    logs::StoredLog,
    search::{EventRecord, LogRecord},
};

use super::traffic_frame;
use crate::{
    cause_chain::CauseChain,
    error::ApiError,
    routes::{
        log_summary::{log_id, summarise_log},
        logs,
        summary::{Detail, summarise},
    },
    sse,
};

pub(super) enum Frames {
    Events {
        source: EmitterId,
        reader: EventReader,
        /// Only events that match it.
        query: Option<SearchQuery>,
    },
    Lines {
        source: EmitterId,
        reader: LogReader,
        /// Only lines that match it.
        query: Option<SearchQuery>,
        form: LineForm,
    },
    /// The messages that a workflow sends to its stream.
    Sends {
        workflow: EmitterId,
        reader: EventReader,
        /// The prefix of the selected messages; none for all.
        head: Option<String>,
    },
    Traffic {
        user: UserId,
        reader: TrafficReader,
    },
}

/// The form of log lines.
#[derive(Clone, Copy)]
pub(super) enum LineForm {
    /// As in `GET /sources/{id}/logs`.
    Line,
    /// As events of the channel `$logs`.
    Event,
}

impl Frames {
    /// The next message. `read_in` is the time that the client took to read the previous frame.
    pub(super) async fn next(&mut self, read_in: Duration) -> Result<Bytes, StreamEnd> {
        match self {
            Frames::Events {
                source,
                reader,
                query,
            } => loop {
                match reader.next(read_in).await? {
                    StreamedEvent::Stored(event) => {
                        if is_event_match(query.as_ref(), &event) {
                            return Ok(event_frame(source, event));
                        }
                    }
                    StreamedEvent::Live(live) => {
                        if is_event_match(query.as_ref(), live.event()) {
                            return Ok(live.frame(|event| event_frame(source, event.clone())));
                        }
                    }
                }
            },
            Frames::Lines {
                source,
                reader,
                query,
                form,
            } => loop {
                let line = reader.next().await?;
                if is_line_match(query.as_ref(), &line) {
                    return Ok(line_frame(source, line, *form));
                }
            },
            Frames::Sends {
                workflow,
                reader,
                head,
            } => loop {
                let frame = match reader.next(read_in).await? {
                    StreamedEvent::Stored(event) => send_frame(workflow, &event),
                    StreamedEvent::Live(live) => live.frame(|event| send_frame(workflow, event)),
                };
                let head = head.as_deref().unwrap_or_default();
                if frame.starts_with(head.as_bytes()) {
                    return Ok(frame);
                }
            },
            Frames::Traffic { reader, .. } => Ok(reader.next().await?.frame(traffic_frame::frame)),
        }
    }

    /// The id of the source, the workflow or the user.
    pub(super) fn subject(&self) -> &str {
        match self {
            Frames::Events { source, .. } | Frames::Lines { source, .. } => source.as_str(),
            Frames::Sends { workflow, .. } => workflow.as_str(),
            Frames::Traffic { user, .. } => user.as_str(),
        }
    }

    /// Sent at the start and between messages.
    pub(super) fn heartbeat(&self) -> Bytes {
        match self {
            Frames::Events { .. } | Frames::Lines { .. } | Frames::Traffic { .. } => sse::HANDSHAKE,
            Frames::Sends { .. } => sse::KEEPALIVE,
        }
    }

    /// The reason for the end when the emitter or the user is deleted.
    pub(super) fn deleted(&self) -> &'static str {
        match self {
            Frames::Events { .. } | Frames::Lines { .. } => "the source is deleted",
            Frames::Sends { .. } => "the workflow is deleted",
            Frames::Traffic { .. } => "the user is deleted",
        }
    }

    /// How a client resumes the stream.
    pub(super) fn how_to_resume(&self) -> &'static str {
        match self {
            Frames::Events { .. } | Frames::Lines { .. } | Frames::Sends { .. } => {
                "reconnect with Last-Event-ID to continue"
            }
            Frames::Traffic { .. } => "reconnect to continue",
        }
    }
}

fn is_event_match(query: Option<&SearchQuery>, event: &StoredEvent) -> bool {
    query.is_none_or(|query| query.matches(&EventRecord::new(event)))
}

fn is_line_match(query: Option<&SearchQuery>, line: &StoredLog) -> bool {
    query.is_none_or(|query| query.matches(&LogRecord::new(line)))
}

fn event_frame(source: &EmitterId, event: StoredEvent) -> Bytes {
    let id = event.id;
    let frame = summarise(source, event, Detail::Whole).and_then(|summary| {
        let message = sse::message(id, &summary);
        message.map_err(|error| ApiError::internal("the event cannot be serialised", error))
    });
    frame.unwrap_or_else(|error| skipped(source, id, &error))
}

fn send_frame(workflow: &EmitterId, event: &StoredEvent) -> Bytes {
    #[derive(Deserialize)]
    struct Sent<'a> {
        channel: String,
        #[serde(borrow)]
        payload: &'a RawValue,
    }
    let frame = serde_json::from_str(&event.data)
        .and_then(|Sent { channel, payload }| sse::named_message(&channel, event.id, &payload));
    frame.unwrap_or_else(|error| skipped(workflow, event.id, &error))
}

/// The comment in place of an event that has no frame.
fn skipped(emitter: &EmitterId, id: EventId, error: &dyn Error) -> Bytes {
    tracing::error!(%emitter, event = %id, error = %CauseChain(error), "event skipped in a stream");
    sse::comment(&format!("event {id} cannot be shown"))
}

fn line_frame(source: &EmitterId, line: StoredLog, form: LineForm) -> Bytes {
    let id = log_id(&line);
    let frame = match form {
        LineForm::Line => sse::message(id, &logs::on_the_wire(line)),
        LineForm::Event => sse::message(id, &summarise_log(source, line)),
    };
    frame.expect("strings and numbers serialise to JSON")
}
