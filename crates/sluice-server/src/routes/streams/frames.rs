//! From what a reader hears to what stands on the wire.

use std::time::Duration;

use bytes::Bytes;
use sluice_engine::{EventReader, LineReader, StreamEnd, StreamedEvent};
use sluice_model::EmitterId;
use sluice_store::{events::StoredEvent, logs::StoredLog};

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
        reader: LineReader,
        form: LineForm,
    },
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

fn line_frame(source: &EmitterId, line: StoredLog, form: LineForm) -> Bytes {
    let id = log_id(&line);
    let frame = match form {
        LineForm::Line => sse::message(id, &logs::on_the_wire(line)),
        LineForm::Event => sse::message(id, &summarise_log(source, line)),
    };
    frame.expect("text and numbers are JSON")
}
