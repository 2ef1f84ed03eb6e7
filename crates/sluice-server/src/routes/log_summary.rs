//! Maps a log line to an event summary. The lines are the events of the channel `$logs`.

use serde::Serialize;
use serde_json::value::to_raw_value;
use sluice_api::{EventMetadata, EventSummary};
use sluice_model::{EmitterId, EventId};
use sluice_store::{
    logs::{StoredLog, event_id},
    routes::LOG_CHANNEL,
};

#[derive(Serialize)]
struct Line {
    ts: i64,
    k: String,
    msg: String,
    level: String,
}

pub(super) fn log_id(line: &StoredLog) -> EventId {
    event_id(line.ts, line.seq)
}

pub(super) fn summarise_log(source: &EmitterId, line: StoredLog) -> EventSummary {
    let id = log_id(&line);
    let event = Line {
        ts: line.ts,
        k: line.kind,
        msg: line.message,
        level: line.level,
    };
    EventSummary {
        id,
        indexed_at_ms: line.ts,
        event: to_raw_value(&event).expect("strings and numbers serialise to JSON"),
        metadata: EventMetadata {
            emit_id: id.to_string(),
            name: LOG_CHANNEL.to_owned(),
            emitter_id: source.clone(),
            id: None,
            summary: None,
            ts: None,
            delivery_ts: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_an_event_of_the_log_channel() {
        let line = StoredLog {
            seq: 7,
            invocation: Some("inv".to_owned()),
            ts: 12,
            kind: "console".to_owned(),
            level: "info".to_owned(),
            message: "one\ntwo".to_owned(),
        };
        let source = EmitterId::parse("dc_abc").unwrap();
        assert_eq!(
            serde_json::to_value(summarise_log(&source, line)).unwrap(),
            json!({
                "id": "12-7", "indexed_at_ms": 12,
                "event": {"ts": 12, "k": "console", "msg": "one\ntwo", "level": "info"},
                "metadata": {"emit_id": "12-7", "name": "$logs", "emitter_id": "dc_abc"},
            })
        );
    }
}
