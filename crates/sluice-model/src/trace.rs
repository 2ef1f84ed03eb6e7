//! The trace context of W3C: the trace that a request belongs to, and the span that caused it.
//!
//! It travels in the headers `traceparent` and `tracestate`, and is stored as their text: the one, and the other after a space.

use std::{fmt::Write, sync::Arc};

/// The length of `traceparent` in version 00: `00-<trace id>-<span id>-<flags>`.
const PARENT_LENGTH: usize = 55;
/// Longer states are dropped, as the specification allows.
const MAX_STATE: usize = 512;
const SAMPLED: u8 = 1;

/// A valid context. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TraceContext(Arc<str>);

impl TraceContext {
    /// Reads the headers of a request. A parent that is not valid counts as missing, and a state that is not valid is dropped.
    pub fn from_headers(parent: &str, state: &str) -> Option<TraceContext> {
        let parent = parent.trim();
        let flags = flags(parent)?;
        let ids = &parent[3..PARENT_LENGTH - 2];
        let state = state.trim_matches([' ', '\t', ',']);
        let is_valid = state.len() <= MAX_STATE && state.bytes().all(|b| (0x20..0x7f).contains(&b));
        let separator = if state.is_empty() || !is_valid {
            ""
        } else {
            " "
        };
        let state = if is_valid { state } else { "" };
        // The other flags are those of the sender. A later version is understood as version 00.
        let text = format!("00-{ids}{:02x}{separator}{state}", flags & SAMPLED);
        Some(TraceContext(text.into()))
    }

    /// Reads the stored form.
    pub fn parse(text: &str) -> Option<TraceContext> {
        let (parent, state) = text.split_once(' ').unwrap_or((text, ""));
        TraceContext::from_headers(parent, state)
    }

    /// The beginning of a trace.
    pub fn root(trace: u128, span: u64, sampled: bool) -> TraceContext {
        // Zero is not valid.
        let (trace, span) = (trace.max(1), span.max(1));
        let text = format!("00-{trace:032x}-{span:016x}-{:02x}", u8::from(sampled));
        TraceContext(text.into())
    }

    /// The same trace with another span.
    #[must_use]
    pub fn with_span(&self, span: u64) -> TraceContext {
        let mut text = String::with_capacity(self.0.len());
        text.push_str(&self.0[..36]);
        // Writing to a string cannot fail.
        let _ = write!(text, "{:016x}", span.max(1));
        text.push_str(&self.0[52..]);
        TraceContext(text.into())
    }

    /// The same span, of a trace whose spans are not recorded.
    #[must_use]
    pub fn not_sampled(&self) -> TraceContext {
        let mut text = String::with_capacity(self.0.len());
        text.push_str(&self.0[..PARENT_LENGTH - 1]);
        text.push('0');
        text.push_str(&self.0[PARENT_LENGTH..]);
        TraceContext(text.into())
    }

    pub fn parent(&self) -> &str {
        &self.0[..PARENT_LENGTH]
    }

    pub fn state(&self) -> Option<&str> {
        self.0.get(PARENT_LENGTH + 1..)
    }

    /// The stored form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn trace_id(&self) -> u128 {
        u128::from_str_radix(&self.0[3..35], 16).unwrap_or_default()
    }

    pub fn span_id(&self) -> u64 {
        u64::from_str_radix(&self.0[36..52], 16).unwrap_or_default()
    }

    /// Whether the one who began the trace wants its spans to be recorded.
    pub fn is_sampled(&self) -> bool {
        self.0.as_bytes()[PARENT_LENGTH - 1] == b'1'
    }
}

/// The flags of a valid parent.
fn flags(parent: &str) -> Option<u8> {
    let bytes = parent.as_bytes();
    let is_long_enough = match bytes.get(..2)? {
        b"00" => bytes.len() == PARENT_LENGTH,
        b"ff" => false,
        _ => bytes.len() == PARENT_LENGTH || bytes.get(PARENT_LENGTH) == Some(&b'-'),
    };
    if !is_long_enough || !parent.is_ascii() {
        return None;
    }
    let mut fields = parent[..PARENT_LENGTH].split('-');
    let mut field = |length| {
        let text = fields.next().filter(|text| text.len() == length)?;
        let is_hex = text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        is_hex.then_some(text)
    };
    let (_version, trace, span, flags) = (field(2)?, field(32)?, field(16)?, field(2)?);
    let is_zero = |text: &str| text.bytes().all(|b| b == b'0');
    if is_zero(trace) || is_zero(span) {
        return None;
    }
    u8::from_str_radix(flags, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_context_comes_back_from_headers_and_from_the_store() {
        let context = TraceContext::from_headers(PARENT, "vendor=a,other=b ").unwrap();
        assert_eq!(context.parent(), PARENT);
        assert_eq!(context.state(), Some("vendor=a,other=b"));
        assert_eq!(context.trace_id(), u128::from_str_radix(TRACE, 16).unwrap());
        assert_eq!(context.span_id(), 0xb7ad_6b71_6920_3331);
        assert!(context.is_sampled());
        assert_eq!(TraceContext::parse(context.as_str()), Some(context.clone()));
        let child = context.with_span(0xa);
        assert_eq!(child.parent(), format!("00-{TRACE}-000000000000000a-01"));
        assert_eq!(child.state(), context.state());
        let unsampled = context.not_sampled();
        assert_eq!(unsampled.parent(), format!("{}0", &PARENT[..54]));
        assert_eq!(unsampled.state(), context.state());
        assert!(!unsampled.is_sampled());
        let bare = TraceContext::from_headers(PARENT, "").unwrap();
        assert_eq!((bare.as_str(), bare.state()), (PARENT, None));
    }

    #[test]
    fn a_parent_that_is_not_valid_counts_as_missing() {
        for (parent, is_valid) in [
            ("", false),
            ("00", false),
            (
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                false,
            ),
            (
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                false,
            ),
            (
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                false,
            ),
            (
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
                false,
            ),
            (
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                false,
            ),
            (
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                false,
            ),
            (
                "00-0af7651916cd43dd8448eb211c80319cb-7ad6b7169203331-01",
                false,
            ),
            (
                "00-0af7651916cd43dd8448eb211c8031ä-b7ad6b7169203331-001",
                false,
            ),
            (
                "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                true,
            ),
            (
                "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
                false,
            ),
            (
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff",
                true,
            ),
            (PARENT, true),
        ] {
            let context = TraceContext::from_headers(parent, "");
            assert_eq!(context.is_some(), is_valid, "{parent}");
            assert!(context.is_none_or(|context| context.parent() == PARENT));
        }
    }

    #[test]
    fn a_state_that_is_too_long_or_not_text_is_dropped() {
        for state in ["x".repeat(513).as_str(), "a=\u{7f}", "a=ä", " ,"] {
            let context = TraceContext::from_headers(PARENT, state).unwrap();
            assert_eq!(context.state(), None);
        }
    }

    #[test]
    fn a_root_is_valid() {
        let root = TraceContext::root(0, 0, false);
        assert_eq!(TraceContext::parse(root.as_str()), Some(root.clone()));
        assert!(!root.is_sampled());
        assert!(TraceContext::root(7, 8, true).is_sampled());
    }
}
