//! Maps a stored event to an event summary: metadata, and a preview of large events.

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use sluice_api::{EventMetadata, EventSummary, TruncatedEvent};
use sluice_model::EmitterId;
use sluice_store::events::StoredEvent;

use crate::error::ApiError;

/// Longer events are shown as a preview.
pub(super) const MAX_WHOLE: usize = 1024;
const MAX_PREVIEW: usize = 1000;

/// How much of an event a summary shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Preview,
    Whole,
}

/// The metadata of the emit; `null` counts as absent.
#[derive(Deserialize)]
struct EmitMeta<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
    #[serde(borrow)]
    ts: Option<&'a RawValue>,
    delivery_ts: Option<i64>,
}

pub(super) fn summarise(
    source: &EmitterId,
    event: StoredEvent,
    detail: Detail,
) -> Result<EventSummary, ApiError> {
    let corrupt = |error: serde_json::Error| {
        ApiError::internal(format!("event {} of {source} is corrupt", event.id), error)
    };
    let meta: EmitMeta<'_> = serde_json::from_str(&event.meta).map_err(corrupt)?;
    let metadata = EventMetadata {
        emit_id: event.emit_id,
        name: event.channel,
        emitter_id: source.clone(),
        id: meta.id.map(id_text),
        summary: meta.summary.map(ToOwned::to_owned),
        ts: meta.ts.map(whole_ms),
        delivery_ts: meta.delivery_ts,
    };
    let shown = match detail {
        Detail::Preview if event.data.len() > MAX_WHOLE => {
            to_raw_value(&preview(&event.data, event.data.len()))
        }
        Detail::Preview | Detail::Whole => RawValue::from_string(event.data),
    };
    Ok(EventSummary {
        id: event.id,
        indexed_at_ms: event.id.ms,
        event: shown.map_err(corrupt)?,
        metadata,
    })
}

/// The beginning of a text of `size` bytes.
pub(super) fn preview(data: &str, size: usize) -> TruncatedEvent {
    TruncatedEvent {
        truncated: true,
        size,
        preview: data[..data.floor_char_boundary(MAX_PREVIEW)].to_owned(),
    }
}

/// Ids may be numbers in emits. Clients expect strings.
fn id_text(id: &RawValue) -> String {
    serde_json::from_str(id.get()).unwrap_or_else(|_| id.get().to_owned())
}

/// A number is truncated to an integer. Other values are unchanged.
fn whole_ms(ts: &RawValue) -> Box<RawValue> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a time beyond 64 bits of milliseconds may saturate"
    )]
    let whole = |number: f64| number as i64;
    match serde_json::from_str::<serde_json::Number>(ts.get()) {
        Ok(number) if number.is_f64() => number
            .as_f64()
            .and_then(|number| to_raw_value(&whole(number)).ok())
            .unwrap_or_else(|| ts.to_owned()),
        Ok(_) | Err(_) => ts.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use sluice_model::EventId;

    use super::*;

    fn shown(meta: &str, data: &str, detail: Detail) -> Value {
        let event = StoredEvent {
            id: EventId { ms: 12, seq: 3 },
            channel: String::new(),
            emit_id: "emit".to_owned(),
            meta: meta.to_owned(),
            data: data.to_owned(),
        };
        let source = EmitterId::parse("dc_abc").unwrap();
        let summary = summarise(&source, event, detail).unwrap();
        serde_json::to_value(summary).unwrap()
    }

    #[test]
    fn a_summary_has_the_metadata_of_the_emit() {
        assert_eq!(
            shown(r#"{"id":"a","summary":"S","ts":5}"#, "[1]", Detail::Preview),
            json!({"id": "12-3", "indexed_at_ms": 12, "event": [1], "metadata": {
                "emit_id": "emit", "name": "", "emitter_id": "dc_abc", "id": "a", "summary": "S", "ts": 5,
            }})
        );
        assert_eq!(
            shown("{}", "null", Detail::Preview)["metadata"],
            json!({"emit_id": "emit", "name": "", "emitter_id": "dc_abc"})
        );
    }

    #[test]
    fn ids_are_strings_and_times_integers() {
        let metadata = |meta: &str| shown(meta, "1", Detail::Preview)["metadata"].clone();
        assert_eq!(metadata(r#"{"id": 17}"#)["id"], "17");
        assert_eq!(metadata(r#"{"ts": 17.9}"#)["ts"], 17);
        assert_eq!(metadata(r#"{"ts": 1e3}"#)["ts"], 1000);
        assert_eq!(metadata(r#"{"ts": "2024"}"#)["ts"], "2024");
    }

    #[test]
    fn over_1_kb_is_a_marked_preview_unless_expanded() {
        let largest = format!("\"{}\"", "x".repeat(1022));
        assert_eq!(
            shown("{}", &largest, Detail::Preview)["event"]
                .as_str()
                .unwrap()
                .len(),
            1022
        );
        let over = format!("\"{}\"", "x".repeat(1023));
        let event = &shown("{}", &over, Detail::Preview)["event"];
        assert_eq!(event["$truncated"], true);
        assert_eq!(event["size"], 1025);
        assert_eq!(event["preview"], over[..1000]);
        assert_eq!(
            shown("{}", &over, Detail::Whole)["event"]
                .as_str()
                .unwrap()
                .len(),
            1023
        );
    }

    proptest! {
        #[test]
        fn a_preview_is_cut_between_characters(text in "[a-zäß語🦀]{400,600}") {
            let preview = preview(&text, text.len()).preview;
            prop_assert!(text.starts_with(&preview));
            prop_assert!(preview.len() <= MAX_PREVIEW);
            prop_assert!(preview.len() == text.len() || preview.len() > MAX_PREVIEW - 4);
        }
    }
}
