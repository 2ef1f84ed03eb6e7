//! Sources that start in processes of their own for a while, because they harmed others or may have.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use sluice_model::SourceId;

use crate::spec::ProcessOwner;

pub(super) const WHILE: Duration = Duration::from_mins(10);

#[derive(Default)]
pub(super) struct Separated(Mutex<HashMap<SourceId, Instant>>);

impl Separated {
    pub(super) fn contains(&self, source: &SourceId) -> bool {
        let mut separated = self.0.lock();
        let now = Instant::now();
        separated.retain(|_, until| *until > now);
        separated.contains_key(source)
    }

    pub(super) fn add(&self, owners: &[ProcessOwner]) {
        let until = Instant::now() + WHILE;
        let mut separated = self.0.lock();
        for owner in owners {
            if let ProcessOwner::Source(source) = owner {
                separated.insert(source.clone(), until);
            }
        }
    }
}
