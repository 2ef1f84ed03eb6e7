//! From what a reader hears to what stands on the wire.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use sluice_engine::streams::{EventReader, LogReader, StreamEnd, StreamedEvent, TrafficReader};
use sluice_model::EmitterId;
use sluice_store::{events::StoredEvent, logs::StoredLog};

use super::traffic;
use crate::{
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
    },
    Lines {
        source: EmitterId,
        reader: LogReader,
        form: LineForm,
    },
    /// What a workflow sends to its stream.
    Sends {
        reader: EventReader,
        /// How the messages begin that are wanted; none for all.
        head: Option<String>,
    },
    Traffic(TrafficReader),
}

/// How log lines are shown.
#[derive(Clone, Copy)]
pub(super) enum LineForm {
    /// As `GET /sources/{id}/logs` does.
    Line,
    /// As events of the channel `$logs`.
    Event,
}

impl Frames {
    /// The next message. `taken_in` is how long the client took to take what it was given last.
    pub(super) async fn next(&mut self, taken_in: Duration) -> Result<Bytes, StreamEnd> {
        match self {
            Frames::Events { source, reader } => Ok(match reader.next(taken_in).await? {
                StreamedEvent::Stored(event) => event_frame(source, event),
                StreamedEvent::Live(live) => live.frame(|event| event_frame(source, event.clone())),
            }),
            Frames::Lines {
                source,
                reader,
                form,
            } => {
                let line = reader.next().await?;
                Ok(line_frame(source, line, *form))
            }
            Frames::Sends { reader, head } => loop {
                let frame = match reader.next(taken_in).await? {
                    StreamedEvent::Stored(event) => send_frame(&event),
                    StreamedEvent::Live(live) => live.frame(send_frame),
                };
                let head = head.as_deref().unwrap_or_default();
                if frame.starts_with(head.as_bytes()) {
                    return Ok(frame);
                }
            },
            Frames::Traffic(reader) => Ok(reader.next().await?.frame(traffic::frame)),
        }
    }

    /// Sent at once, and whenever nothing else was for a while.
    pub(super) fn sign_of_life(&self) -> Bytes {
        match self {
            Frames::Events { .. } | Frames::Lines { .. } | Frames::Traffic(_) => sse::HANDSHAKE,
            Frames::Sends { .. } => sse::KEEPALIVE,
        }
    }

    /// The last word when that which is followed is no more.
    pub(super) fn obituary(&self) -> &'static str {
        match self {
            Frames::Events { .. } | Frames::Lines { .. } => "the source is deleted",
            Frames::Sends { .. } => "the workflow is deleted",
            Frames::Traffic(_) => "the user is deleted",
        }
    }

    /// How a client goes on that comes back.
    pub(super) fn way_back(&self) -> &'static str {
        match self {
            Frames::Events { .. } | Frames::Lines { .. } | Frames::Sends { .. } => {
                "reconnect with Last-Event-ID to go on"
            }
            Frames::Traffic(_) => "reconnect to go on",
        }
    }
}

fn event_frame(source: &EmitterId, event: StoredEvent) -> Bytes {
    let id = event.id;
    let frame = summarise(source, event, Detail::Whole)
        .map_err(|error| format!("{error:?}"))
        .and_then(|summary| sse::message(id, &summary).map_err(|error| error.to_string()));
    frame.unwrap_or_else(|error| {
        tracing::error!("an event is left out of a stream: {error}");
        sse::comment(&format!("event {id} cannot be shown"))
    })
}

fn send_frame(event: &StoredEvent) -> Bytes {
    #[derive(Deserialize)]
    struct Sent<'a> {
        channel: String,
        #[serde(borrow)]
        payload: &'a RawValue,
    }
    let frame = serde_json::from_str(&event.data)
        .and_then(|Sent { channel, payload }| sse::named_message(&channel, event.id, &payload));
    frame.unwrap_or_else(|error| {
        tracing::error!("an event is left out of a stream: {error}");
        sse::comment(&format!("event {} cannot be shown", event.id))
    })
}

fn line_frame(source: &EmitterId, line: StoredLog, form: LineForm) -> Bytes {
    let id = log_id(&line);
    let frame = match form {
        LineForm::Line => sse::message(id, &logs::on_the_wire(line)),
        LineForm::Event => sse::message(id, &summarise_log(source, line)),
    };
    frame.expect("text and numbers are JSON")
}
