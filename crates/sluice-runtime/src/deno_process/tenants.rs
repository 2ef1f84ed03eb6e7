//! The tenants of one process, and the seats of those that are about to join.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::tenant::Tenant;
use crate::tenant_number::TenantNumber;

/// A process with more of them would be a large target for one that crashes it.
const MAX_TENANTS: usize = 256;
/// Code stays in memory until its process ends, also of a tenant that has left.
const MAX_LOADS: u32 = 1_024;
const MAX_STALE: Duration = Duration::from_mins(5);

pub(super) struct Tenants {
    by_number: BTreeMap<TenantNumber, Arc<Tenant>>,
    last: TenantNumber,
    reserved: usize,
    /// None may join, and those that are idle leave.
    is_retiring: bool,
    /// Since when it may run code of a tenant that has left.
    stale_since: Option<Instant>,
    count: Arc<AtomicUsize>,
}

impl Tenants {
    pub(super) fn of(first: Arc<Tenant>, count: Arc<AtomicUsize>) -> Tenants {
        let mut tenants = Tenants {
            by_number: BTreeMap::new(),
            last: first.number,
            reserved: 0,
            is_retiring: false,
            stale_since: None,
            count,
        };
        tenants.insert(first);
        tenants
    }

    pub(super) fn insert(&mut self, tenant: Arc<Tenant>) {
        self.by_number.insert(tenant.number, tenant);
        self.counted();
    }

    pub(super) fn remove(&mut self, number: TenantNumber) -> Option<Arc<Tenant>> {
        let removed = self.by_number.remove(&number);
        self.counted();
        removed
    }

    /// The place of one that joined, or did not.
    pub(super) fn release(&mut self) {
        self.reserved = self.reserved.saturating_sub(1);
    }

    fn counted(&self) {
        self.count.store(self.by_number.len(), Ordering::Relaxed);
    }

    pub(super) fn get(&self, number: TenantNumber) -> Option<&Arc<Tenant>> {
        self.by_number.get(&number)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Tenant>> {
        self.by_number.values()
    }

    /// The only tenant.
    pub(super) fn sole(&self) -> Option<&Arc<Tenant>> {
        let mut all = self.by_number.values();
        all.next().filter(|_| all.next().is_none())
    }

    pub(super) fn len(&self) -> usize {
        self.by_number.len()
    }

    /// The number of tenants that joined the first one so far.
    pub(super) fn joins(&self) -> u32 {
        self.last.value() - TenantNumber::FIRST.value()
    }

    /// Whether nobody is here or about to join.
    pub(super) fn are_gone(&self) -> bool {
        self.by_number.is_empty() && self.reserved == 0
    }

    pub(super) fn is_retiring(&self) -> bool {
        self.is_retiring
    }

    /// A tenant has left, and its code may go on.
    pub(super) fn left_behind(&mut self) {
        self.stale_since.get_or_insert_with(Instant::now);
    }

    /// Whether code of a tenant that has left may have gone on for long enough.
    pub(super) fn are_stale(&self) -> bool {
        self.stale_since
            .is_some_and(|since| since.elapsed() > MAX_STALE)
    }

    pub(super) fn retire(&mut self) {
        self.is_retiring = true;
    }

    /// Keeps a place for another one, with its number.
    pub(super) fn reserve(&mut self) -> Option<TenantNumber> {
        let has_room = self.by_number.len() + self.reserved < MAX_TENANTS;
        if self.is_retiring
            || self.by_number.is_empty()
            || !has_room
            || self.last.value() >= MAX_LOADS
        {
            return None;
        }
        self.last = self.last.next();
        self.reserved += 1;
        Some(self.last)
    }
}
