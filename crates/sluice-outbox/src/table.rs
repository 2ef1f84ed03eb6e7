//! The stored rows behind a queue.

use std::{collections::BTreeSet, future::Future, sync::Arc};

use sluice_store::{BatchLimit, StoreError};

use crate::row::{Finished, Row};

/// Due rows of a queue.
pub(crate) struct Page<R> {
    pub(crate) rows: Vec<R>,
    /// When there are no such rows: the next due time, if anything waits.
    pub(crate) next_due: Option<i64>,
    /// Attempts under way, where the receiver sets them.
    pub(crate) concurrency: Option<usize>,
    /// When the destination was last changed, where it can be.
    pub(crate) destination_time: Option<i64>,
}

impl<R> Page<R> {
    pub(crate) fn empty() -> Page<R> {
        Page {
            rows: Vec::new(),
            next_due: None,
            concurrency: None,
            destination_time: None,
        }
    }
}

pub(crate) trait Table: Send + Sync + 'static {
    type Row: Row;

    /// Reads due rows that are not in hand, the longest due first.
    fn read(
        &self,
        in_hand: BTreeSet<<Self::Row as Row>::Id>,
        portion: BatchLimit,
    ) -> impl Future<Output = Result<Page<Self::Row>, StoreError>> + Send;

    /// Stores results in one transaction. To store the same results again changes nothing.
    fn write(
        &self,
        finished: Arc<[Finished<Self::Row>]>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Counts a result in the metrics.
    fn count(&self, finished: &Finished<Self::Row>);

    /// Called when results are stored.
    fn written(&self, finished: &[Finished<Self::Row>]);
}
