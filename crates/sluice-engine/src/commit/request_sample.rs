//! The last HTTP request of a source, which its commits store.
//!
//! A busy source stores one in ten seconds only, so that it writes hardly more than without.

use std::sync::Arc;

use sluice_store::inbox::InboxKind;

use crate::work::Work;

/// Larger requests are not stored.
const MAX_BYTES: usize = 64 * 1024;
const PAUSE_MS: u64 = 10_000;

/// When the source last stored a request.
#[derive(Debug, Default)]
pub(crate) struct RequestSample {
    stored_at: Option<i64>,
}

impl RequestSample {
    /// The last request among the work of a commit, if the commit is to store it.
    pub(crate) fn take<'a>(
        &mut self,
        mut work: impl DoubleEndedIterator<Item = &'a Work>,
        now_ms: i64,
    ) -> Option<Arc<str>> {
        let stored = self.stored_at.map(|at| at.abs_diff(now_ms));
        if stored.is_some_and(|ago| ago < PAUSE_MS) {
            return None;
        }
        let request = work.rfind(|work| is_stored(work))?;
        self.stored_at = Some(now_ms);
        Some(Arc::clone(&request.event))
    }
}

fn is_stored(work: &Work) -> bool {
    work.kind == InboxKind::Http && work.event.len() <= MAX_BYTES
}

#[cfg(test)]
mod tests {
    use sluice_model::{IdGen, InvocationId};

    use super::*;

    fn work(kind: InboxKind, event: &str) -> Work {
        Work {
            id: InvocationId::generate(&mut IdGen::new(1), 1),
            kind,
            prop: None,
            event: event.into(),
            attempts: 0,
            accepted_at: 1,
            depth: 0,
            dispatched_at: None,
            trace: None,
        }
    }

    #[test]
    fn the_last_request_is_stored_and_then_one_in_ten_seconds() {
        let mut sample = RequestSample::default();
        let tick = [work(InboxKind::Timer, "0")];
        assert_eq!(sample.take(tick.iter(), 1_000), None);
        let requests = [
            work(InboxKind::Http, "1"),
            work(InboxKind::Http, "2"),
            work(InboxKind::Manual, "3"),
        ];
        assert_eq!(sample.take(requests.iter(), 1_000).as_deref(), Some("2"));
        assert_eq!(sample.take(requests.iter(), 10_999), None);
        assert_eq!(sample.take(requests.iter(), 11_000).as_deref(), Some("2"));
    }

    #[test]
    fn large_requests_are_passed_over() {
        let mut sample = RequestSample::default();
        let large = "x".repeat(MAX_BYTES + 1);
        let requests = [work(InboxKind::Http, "1"), work(InboxKind::Http, &large)];
        assert_eq!(sample.take(requests.iter(), 1).as_deref(), Some("1"));
    }
}
