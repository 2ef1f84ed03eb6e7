//! Times as the API shows them. The store has epoch milliseconds.

/// ISO 8601 to the millisecond, as accounts have it.
pub(super) fn iso_date(epoch_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(epoch_ms)
        .map(|instant| format!("{instant:.3}"))
        .unwrap_or_default()
}

/// Epoch seconds, as all other resources have it.
pub(super) fn epoch_seconds(epoch_ms: i64) -> i64 {
    epoch_ms.div_euclid(1000)
}
