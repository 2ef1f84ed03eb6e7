//! A worker that panics is counted and restarted.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use sluice_infra::TaskLabel;
use sluice_store::sends::SendRow;

use super::fixtures::{Fixture, NOW};
use crate::{
    row::Outcome,
    sender::{Attempt, Disabled, Sender},
    strategy::Strategy,
};

/// Panics at the first attempt.
#[derive(Default)]
struct Fragile(AtomicUsize);

impl Sender<SendRow> for Fragile {
    fn strategy(&self) -> Strategy {
        Disabled("").strategy()
    }

    fn attempt<'a>(&'a self, _: &'a mut [SendRow]) -> Attempt<'a, SendRow> {
        Box::pin(async {
            let attempt = self.0.fetch_add(1, Ordering::SeqCst);
            assert!(attempt > 0, "the first attempt panics");
            Outcome::sent("sent".to_owned())
        })
    }
}

#[tokio::test]
async fn a_queue_whose_worker_panicked_is_served_by_the_next_worker() {
    let fixture = Fixture::with(Some(Arc::new(Fragile::default())));
    fixture.send("http://127.0.0.1/", NOW).await;
    fixture.outbox.start().await.unwrap();
    fixture.wait_for("sends", &[("sent", 1)]).await;
    let label = TaskLabel {
        worker: "send_queue",
    };
    let panics = fixture.infra.metrics.worker_panics.get_or_create(&label);
    assert_eq!(panics.get(), 1);
}
