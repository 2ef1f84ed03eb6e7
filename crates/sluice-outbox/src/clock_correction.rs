//! Corrects the due times of deliveries and sends after the clock was set back.

use sluice_infra::{ClockWatch, Infra};
use sluice_store::{StoreError, deliveries, sends::outbox};

/// Rows of one update.
const BATCH: u32 = 500;

/// Corrects due times if the clock was set back since the last call.
pub(crate) async fn correct_due_times(watch: &ClockWatch, infra: &Infra) -> Result<(), StoreError> {
    let now = infra.now_ms();
    if !watch.needs_correction(now) {
        return Ok(());
    }
    let write = infra.store.write(move |c| {
        while deliveries::clamp(c, now, BATCH)? > 0 {}
        while outbox::clamp(c, now, BATCH)? > 0 {}
        Ok(())
    });
    write.await?;
    watch.corrected();
    Ok(())
}
