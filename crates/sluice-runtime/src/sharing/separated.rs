//! Sources that start in processes of their own for a while, because they harmed others or may have.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use sluice_model::SourceId;

use crate::spec::ProcessOwner;

/// The first time. Each further time is longer, because an invocation runs twice for it.
pub(super) const WHILE: Duration = Duration::from_mins(10);
const FACTOR: u32 = 6;
const LONGEST: Duration = Duration::from_hours(24);

#[derive(Default)]
pub(super) struct Separated(Mutex<HashMap<SourceId, Separation>>);

struct Separation {
    time: Duration,
    until: Instant,
}

impl Separated {
    pub(super) fn contains(&self, source: &SourceId) -> bool {
        let separated = self.0.lock();
        separated
            .get(source)
            .is_some_and(|separation| separation.until > Instant::now())
    }

    pub(super) fn add(&self, owners: &[ProcessOwner]) {
        let now = Instant::now();
        let mut separated = self.0.lock();
        // Old ones count for another while of the same length.
        separated.retain(|_, old| old.until + old.time > now);
        for owner in owners {
            if let ProcessOwner::Source(source) = owner {
                let before = separated.get(source).map(|old| old.time);
                let time = before.map_or(WHILE, |time| (time * FACTOR).min(LONGEST));
                let until = now + time;
                separated.insert(source.clone(), Separation { time, until });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_does_it_again_is_separated_for_longer() {
        let source = SourceId::parse("dc_abcdef").expect("an id");
        let owner = [ProcessOwner::Source(source.clone())];
        let separated = Separated::default();
        assert!(!separated.contains(&source));
        let mut times = Vec::new();
        for _ in 0..5 {
            separated.add(&owner);
            assert!(separated.contains(&source));
            times.push(separated.0.lock()[&source].time.as_secs() / 60);
        }
        assert_eq!(times, [10, 60, 360, 1440, 1440]);
    }
}
