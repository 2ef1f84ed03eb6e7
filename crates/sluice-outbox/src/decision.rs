//! What becomes of rows after an attempt.

use sluice_infra::{Infra, millis};

use crate::{
    retry_schedule::RetrySchedule,
    row::{Fate, Verdict},
};

/// The next state of rows that had so many failed attempts before, and their failed attempts then.
pub(crate) fn decide(
    infra: &Infra,
    schedule: &RetrySchedule,
    tries_before: u32,
    verdict: &Verdict,
) -> (Fate, u32) {
    let tries = tries_before + 1;
    let fate = match verdict {
        Verdict::Sent => Fate::Sent,
        Verdict::Failed => Fate::Failed,
        Verdict::Gone => Fate::Gone,
        Verdict::Pause(_) => return (Fate::StillDue, tries_before),
        Verdict::Retry { after, .. } => {
            let pause = schedule.pause(tries, *after, infra.ids.jitter());
            pause.map_or(Fate::Failed, |pause| Fate::Retry {
                due_at: infra.now_ms().saturating_add(millis(pause)),
            })
        }
    };
    (fate, tries)
}
