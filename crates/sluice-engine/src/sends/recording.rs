//! Writing down what came of sends, however long the store is unavailable: what was sent must not be sent again for want of
//! space.

use std::{sync::Arc, time::Duration};

use sluice_infra::SendLabel;
use sluice_store::sends::{self, SendRow, SendState, outbox};

use super::{
    outcome::{Outcome, shown},
    parcel::Parcel,
};
use crate::{
    context::Context,
    delivery::{jitter, millis},
};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Records a try. Rows of one parcel have the same fate, and stay together when they are tried again.
pub(super) async fn record(context: &Context, parcel: Parcel, outcome: Outcome) {
    let now = context.infra.clock.now_ms();
    let tries = parcel.rows.iter().map(|row| row.tries).max().unwrap_or(0) + 1;
    let (state, due_at, result) = match outcome {
        Outcome::Sent(result) => (SendState::Sent, None, result),
        Outcome::Failed(why) => (SendState::Failed, None, why),
        Outcome::Again { why, after } => {
            match context.sends.schedule.after(tries, after, jitter()) {
                Some(pause) => (SendState::Pending, Some(now + millis(pause)), why),
                None => (SendState::Failed, None, why),
            }
        }
    };
    for row in &parcel.rows {
        count(context, row, state);
    }
    let result = shown(&result);
    let rows = parcel.rows.into_iter().map(|row| SendRow {
        state,
        due_at,
        tries,
        result: Some(result.clone()),
        updated_at: now,
        ..row
    });
    let rows: Arc<[SendRow]> = rows.collect();
    let mut pause = FIRST_PAUSE;
    loop {
        let rows = Arc::clone(&rows);
        let write = context
            .infra
            .store
            .write(move |c| rows.iter().try_for_each(|row| sends::update(c, row)));
        match write.await {
            Ok(()) => break,
            Err(error) if context.infra.shutdown.is_draining() => {
                tracing::error!(%error, "what came of a send could not be recorded; it is sent again");
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "what came of a send could not be recorded; trying again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
    if let Some(due_at) = due_at {
        context.sends.wake(due_at);
    }
}

/// Lets parcels wait until then. Should that fail they are due as before.
pub(super) async fn postpone(context: &Context, parcels: Vec<Parcel>, due_at: i64) {
    let ids: Vec<_> = parcels.iter().flat_map(Parcel::ids).collect();
    let now = context.infra.now_ms();
    let write = context.infra.store.write(move |c| {
        ids.iter()
            .try_for_each(|id| outbox::postpone(c, id, due_at, now))
    });
    if let Err(error) = write.await {
        tracing::warn!(%error, "sends could not be put off");
    }
    context.sends.wake(due_at);
}

fn count(context: &Context, row: &SendRow, state: SendState) {
    let result = match state {
        SendState::Sent => "sent",
        SendState::Failed => "failed",
        SendState::Pending | SendState::Held => "retried",
    };
    let kind = row.kind.as_str();
    let sends = &context.infra.metrics.sends;
    sends.get_or_create(&SendLabel { kind, result }).inc();
}
