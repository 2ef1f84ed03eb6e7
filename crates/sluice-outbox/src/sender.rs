//! Senders: one for webhooks and one for each kind of send.

use std::{future::Future, pin::Pin};

use sluice_store::{BatchLimit, sends::SendRow};

use crate::{
    row::{Batch, Outcome, Row, Verdict},
    strategy::{Refill, Slot, SlowPeers, Strategy},
};

/// The report on a batch without rows, which is never prepared.
pub(crate) const NOTHING: &str = "there is nothing to send";

pub(crate) type Attempt<'a, R> =
    Pin<Box<dyn Future<Output = Outcome<<R as Row>::Report>> + Send + 'a>>;

pub(crate) trait Sender<R: Row>: Send + Sync + 'static {
    fn strategy(&self) -> Strategy;

    /// Divides rows into batches, in order.
    fn prepare(&self, rows: Vec<R>) -> Vec<Batch<R>> {
        let single = |row| Batch::single(row, String::new());
        rows.into_iter().map(single).collect()
    }

    /// Sends the rows of a batch, of which there is at least one. It may take their content.
    fn attempt<'a>(&'a self, rows: &'a mut [R]) -> Attempt<'a, R>;
}

/// Stands for a sender that the operator has not set up, and says so.
pub(crate) struct Disabled(pub(crate) &'static str);

impl Sender<SendRow> for Disabled {
    fn strategy(&self) -> Strategy {
        Strategy {
            window: BatchLimit {
                rows: 200,
                bytes: 1024 * 1024,
            },
            refill: Refill::WhenEmpty,
            concurrency: 32,
            per_peer: 32,
            slot: Slot::UntilRecorded,
            slow_peers: SlowPeers::Wait,
        }
    }

    fn attempt<'a>(&'a self, _: &'a mut [SendRow]) -> Attempt<'a, SendRow> {
        Box::pin(async {
            Outcome {
                verdict: Verdict::Failed,
                report: self.0.to_owned(),
            }
        })
    }
}
