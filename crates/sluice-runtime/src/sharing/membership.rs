//! The part that a process has in its group.

use std::{sync::Arc, time::Instant};

use parking_lot::Mutex;

use super::separated::{Separated, WHILE};
use crate::spec::ProcessOwner;

/// After so many crashes without a suspect the sources of a group do not share processes for a while.
const MAX_CRASHES: usize = 3;

/// The times of crashes of a group without a suspect.
#[derive(Default)]
pub(super) struct Crashes(Mutex<Vec<Instant>>);

impl Crashes {
    pub(super) fn are_many(&self) -> bool {
        self.recent() >= MAX_CRASHES
    }

    pub(super) fn recent(&self) -> usize {
        let mut crashes = self.0.lock();
        let now = Instant::now();
        crashes.retain(|crash| now.saturating_duration_since(*crash) < WHILE);
        crashes.len()
    }
}

#[derive(Clone)]
pub(crate) struct Membership {
    separated: Arc<Separated>,
    crashes: Arc<Crashes>,
}

impl Membership {
    pub(super) fn new(separated: Arc<Separated>, crashes: Arc<Crashes>) -> Membership {
        Membership { separated, crashes }
    }

    /// The process crashed. Without suspects all its sources are.
    pub(crate) fn crashed(&self, suspects: &[ProcessOwner]) {
        if suspects.is_empty() {
            self.crashes.0.lock().push(Instant::now());
        }
        self.separated.add(suspects);
    }

    /// This source starts in a process of its own for a while.
    pub(crate) fn separate(&self, source: &ProcessOwner) {
        self.separated.add(std::slice::from_ref(source));
    }
}
