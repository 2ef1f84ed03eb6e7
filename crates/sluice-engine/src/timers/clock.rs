//! Corrects due times of timers, waiting runs and token renewals after the clock was set back. Held events keep their times,
//! which users set as points in time.

use std::time::{Duration, Instant};

use sluice_infra::{ClockWatch, Infra};
use sluice_store::{StoreError, accounts, runs, server_clock, timers};

/// Rows of one transaction.
const BATCH: u32 = 500;
/// No claim and no backoff of a token renewal lasts longer.
const LONGEST_RENEWAL_MS: i64 = 60_000;
/// How often the time is stored, which shows a clock that was set back while the server was down.
const SAVE_PERIOD: Duration = Duration::from_mins(1);

/// A clock that is behind the last time stored in the database by more than this was set back.
const TOLERANCE_MS: i64 = 1_000;

#[derive(Default)]
pub(super) struct DueTimeClock {
    watch: ClockWatch,
    is_started: bool,
    saved: Option<Instant>,
}

impl DueTimeClock {
    /// Called in each round of the scheduler.
    pub(super) async fn check(&mut self, infra: &Infra) -> Result<(), StoreError> {
        let now_ms = infra.now_ms();
        if !self.is_started {
            if !may_be_set_back(infra, now_ms).await? {
                self.watch.corrected();
            }
            self.is_started = true;
        }
        if self.watch.needs_correction(now_ms) {
            correct(infra, now_ms).await?;
            self.watch.corrected();
        }
        if self.saved.is_none_or(|at| at.elapsed() >= SAVE_PERIOD) {
            let save = move |c: &mut dyn sluice_store::Conn| server_clock::advance(c, now_ms);
            infra.store.write(save).await?;
            self.saved = Some(Instant::now());
        }
        Ok(())
    }
}

/// Whether the clock may have been set back while this server was down. Clocks of nodes differ a little, and a correction by that
/// would repeat ticks. The nodes that run have noticed when the database's clock was set back.
async fn may_be_set_back(infra: &Infra, now_ms: i64) -> Result<bool, StoreError> {
    if infra.cluster.owns_database() {
        return Ok(true);
    }
    if !infra.cluster.is_alone() {
        return Ok(false);
    }
    let latest = infra.store.read(server_clock::latest).await?;
    Ok(latest.is_some_and(|latest| latest > now_ms + TOLERANCE_MS))
}

async fn correct(infra: &Infra, now_ms: i64) -> Result<(), StoreError> {
    let store = &infra.store;
    let mut position = None;
    loop {
        let after = position.take();
        let clamp =
            move |c: &mut dyn sluice_store::Conn| timers::clamp(c, now_ms, after.as_ref(), BATCH);
        position = store.write(clamp).await?;
        if position.is_none() {
            break;
        }
    }
    while store.write(move |c| runs::clamp(c, now_ms, BATCH)).await? > 0 {}
    store
        .write(move |c| accounts::clamp(c, now_ms, LONGEST_RENEWAL_MS))
        .await?;
    Ok(())
}
