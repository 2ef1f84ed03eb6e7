//! The health of a webhook as text.

use sluice_api::{WebhookHealth, WebhookStatus};

use crate::commands::output::{BAD, GOOD, local_time, styled};

/// The status, with the time of the next attempt of a webhook that fails.
pub(crate) fn status(health: &WebhookHealth) -> String {
    let status = match health.status {
        WebhookStatus::Inactive => return "inactive".to_owned(),
        WebhookStatus::Healthy => return styled(GOOD, "healthy"),
        WebhookStatus::Failing => styled(BAD, "failing"),
        WebhookStatus::Paused => styled(BAD, "paused"),
    };
    match health.next_attempt_at {
        Some(at) => format!("{status}, next attempt {}", local_time(at)),
        None => status,
    }
}
