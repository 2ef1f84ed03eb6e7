//! The retention of a source: its own, or the server's.

use sluice_infra::{Infra, Settings, millis};
use sluice_store::sources::Source;

/// Number of events that are kept.
pub(crate) fn max_events(settings: &Settings, source: &Source) -> u64 {
    let own = source.retention.max_events;
    own.map_or(settings.event_retention, u64::from)
}

/// Events before this time are deleted; `None` when age does not matter.
pub(super) fn oldest_event_ms(infra: &Infra, source: &Source) -> Option<i64> {
    let age_ms = match source.retention.max_age_seconds {
        Some(seconds) => i64::from(seconds) * 1_000,
        None => millis(infra.settings.event_max_age?),
    };
    Some(infra.now_ms() - age_ms)
}
