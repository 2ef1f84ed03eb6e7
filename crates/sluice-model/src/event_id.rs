//! Ids of events: `<epoch ms>-<sequence>`, strictly increasing for each emitter.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::invalid_id::InvalidId;

/// Orders by time, then by sequence within the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId {
    pub ms: i64,
    pub seq: i64,
}

impl EventId {
    /// The id after `last`. Its time is `now_ms`; when the clock has not passed `last`, its sequence is one higher.
    #[must_use]
    pub fn next(last: Option<EventId>, now_ms: i64) -> EventId {
        match last {
            Some(last) if now_ms <= last.ms => EventId {
                ms: last.ms,
                seq: last.seq + 1,
            },
            Some(_) | None => EventId { ms: now_ms, seq: 0 },
        }
    }

    /// Parses digits, a dash and digits. Both numbers fit 63 bits.
    pub fn parse(text: &str) -> Option<EventId> {
        let (ms, seq) = text.split_once('-')?;
        Some(EventId {
            ms: parse_digits(ms)?,
            seq: parse_digits(seq)?,
        })
    }
}

fn parse_digits(text: &str) -> Option<i64> {
    // `i64::from_str` alone would also take a sign.
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.seq)
    }
}

impl Serialize for EventId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EventId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom(InvalidId { kind: "EventId" }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_round_trips() {
        let id = EventId {
            ms: 1_606_511_826_306,
            seq: 3,
        };
        assert_eq!(id.to_string(), "1606511826306-3");
        assert_eq!(EventId::parse("1606511826306-3"), Some(id));
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"1606511826306-3\"");
    }

    #[test]
    fn garbage_does_not_parse() {
        for bad in [
            "",
            "-",
            "1",
            "1-",
            "-1",
            "+1-2",
            "1-+2",
            "1-2-3",
            "a-b",
            "9223372036854775808-0",
            " 1-2",
        ] {
            assert_eq!(EventId::parse(bad), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn next_is_strictly_increasing(clock in prop::collection::vec(0..20_i64, 1..100)) {
            let mut last = None;
            for now in clock {
                let next = EventId::next(last, now);
                prop_assert!(last.is_none_or(|last| last < next));
                last = Some(next);
            }
        }
    }
}
