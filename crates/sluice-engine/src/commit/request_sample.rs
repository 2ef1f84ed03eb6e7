//! The last HTTP request of a source, which its commits store.
//!
//! A busy source stores one in ten seconds only, so that it writes hardly more than without.

use std::sync::Arc;

use sluice_store::inbox::InboxKind;

use super::source::{Finished, Trigger};

/// Larger requests are not stored.
const MAX_BYTES: usize = 64 * 1024;
const PAUSE_MS: u64 = 10_000;

/// When the source last stored a request.
#[derive(Debug, Default)]
pub(crate) struct RequestSample {
    stored_at: Option<i64>,
}

impl RequestSample {
    /// The last request of a commit, if the commit is to store it.
    pub(crate) fn take(&mut self, finished: &[Finished], now_ms: i64) -> Option<Arc<str>> {
        let stored = self.stored_at.map(|at| at.abs_diff(now_ms));
        if stored.is_some_and(|ago| ago < PAUSE_MS) {
            return None;
        }
        let request = finished.iter().rev().find_map(request)?;
        self.stored_at = Some(now_ms);
        Some(request)
    }
}

fn request(finished: &Finished) -> Option<Arc<str>> {
    let (Trigger::Inbox(work) | Trigger::Direct(work)) = &finished.trigger else {
        return None;
    };
    let is_stored = work.kind == InboxKind::Http && work.event.len() <= MAX_BYTES;
    is_stored.then(|| Arc::clone(&work.event))
}

#[cfg(test)]
mod tests {
    use sluice_model::{IdGen, InvocationId};
    use sluice_runtime::Outcome;

    use super::*;
    use crate::work::Work;

    fn finished(kind: InboxKind, event: &str) -> Finished {
        let id = InvocationId::generate(&mut IdGen::new(1), 1);
        let work = Work {
            id,
            kind,
            prop: None,
            event: event.into(),
            attempts: 0,
            accepted_at: 1,
            depth: 0,
            dispatched_at: None,
            trace: None,
        };
        Finished {
            id,
            trigger: Trigger::Inbox(work),
            outcome: Outcome::default(),
        }
    }

    #[test]
    fn the_last_request_is_stored_and_then_one_in_ten_seconds() {
        let mut sample = RequestSample::default();
        let tick = [finished(InboxKind::Timer, "0")];
        assert_eq!(sample.take(&tick, 1_000), None);
        let requests = [
            finished(InboxKind::Http, "1"),
            finished(InboxKind::Http, "2"),
            finished(InboxKind::Manual, "3"),
        ];
        assert_eq!(sample.take(&requests, 1_000).as_deref(), Some("2"));
        assert_eq!(sample.take(&requests, 10_999), None);
        assert_eq!(sample.take(&requests, 11_000).as_deref(), Some("2"));
    }

    #[test]
    fn large_requests_are_passed_over() {
        let mut sample = RequestSample::default();
        let large = "x".repeat(MAX_BYTES + 1);
        let requests = [
            finished(InboxKind::Http, "1"),
            finished(InboxKind::Http, &large),
        ];
        assert_eq!(sample.take(&requests, 1).as_deref(), Some("1"));
    }
}
