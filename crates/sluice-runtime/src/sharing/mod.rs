//! Sources that share a process, because starting one takes most of the time of a short invocation.
//!
//! - Sources share a process only within one account, and by default only if they have the same code: code of one component
//!   never has a heap in common with code of another, whose credentials it could read.
//! - Their code must be self-contained (`sluice_code::is_self_contained`), and have no packages and no files. So two sources
//!   have no state in common, and each has its own copy of the modules.
//! - A source that was running something when its process crashed, or that is busy, starts in a process of its own for a while.

mod eligibility;
mod group;
mod membership;
mod separated;

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use self::{
    eligibility::{Eligibility, GroupKey},
    group::Group,
    separated::Separated,
};
pub(crate) use self::{
    group::{Forming, Place},
    membership::Membership,
};
use crate::{
    isolation::Isolation,
    spec::{ProcessOwner, ProcessSpec},
};

pub(crate) struct Sharing {
    isolation: Isolation,
    eligibility: Eligibility,
    groups: Mutex<HashMap<GroupKey, Arc<Group>>>,
    separated: Arc<Separated>,
}

impl Sharing {
    pub(crate) fn new(isolation: Isolation) -> Sharing {
        Sharing {
            isolation,
            eligibility: Eligibility::default(),
            groups: Mutex::default(),
            separated: Arc::default(),
        }
    }

    /// The sources with which this one may share a process.
    pub(crate) fn group_of(&self, spec: &ProcessSpec) -> Option<Arc<Group>> {
        let ProcessOwner::Source(source) = &spec.owner else {
            return None;
        };
        if self.separated.contains(source) {
            return None;
        }
        let key = self.eligibility.group_key(self.isolation, spec)?;
        let mut groups = self.groups.lock();
        if let Some(group) = groups.get(&key) {
            return group.may_share().then(|| Arc::clone(group));
        }
        groups.retain(|_, group| Arc::strong_count(group) > 1 || !group.is_forgettable());
        let group = Arc::new(Group::new(Arc::clone(&self.separated)));
        groups.insert(key, Arc::clone(&group));
        Some(group)
    }
}
