//! Secrets that change while their version stays: its process is replaced once the steps that run in it have ended.

use std::sync::Arc;

use super::{Actor, stepping::Stage};
use crate::workflow::version::Version;

impl Actor {
    /// Takes the version that new runs take from now on.
    pub(super) fn take_version(&mut self, version: Version) {
        let renewed = version.id == self.current.id && !version.has_secrets_of(&self.current);
        self.current = Arc::new(version);
        if !renewed {
            return;
        }
        let id = &self.current.id;
        for active in self.runs.values_mut() {
            if active.version.id == *id {
                active.version = Arc::clone(&self.current);
            }
        }
        if let Some(host) = self.hosts.get_mut(id) {
            host.version = Arc::clone(&self.current);
            host.is_outdated = true;
        }
    }

    /// Stops a process that knows old secrets, when no step runs in it.
    pub(super) fn retire_outdated(&mut self) {
        let id = &self.current.id;
        let in_use = self
            .runs
            .values()
            .any(|active| active.version.id == *id && !matches!(active.stage, Stage::Ready));
        let is_outdated = |host: &super::Host| host.is_outdated && !host.is_starting;
        if !in_use && self.hosts.get(id).is_some_and(is_outdated) {
            self.hosts.remove(id);
        }
    }
}
