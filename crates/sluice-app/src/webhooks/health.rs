//! Whether a webhook works, for users.

use sluice_engine::EngineError;
use sluice_model::WebhookId;
use sluice_store::{
    webhook_health::{self, FailingWebhook},
    webhooks::Webhook,
};

use super::manage::Webhooks;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookStatus {
    /// It is switched off, or its receiver answered 410.
    Inactive,
    /// The last attempt succeeded, or there was none.
    Healthy,
    /// The last attempt failed.
    Failing,
    /// As failing, and the circuit breaker pauses before the next attempt.
    Paused,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookHealth {
    pub status: WebhookStatus,
    /// The first failed attempt since one succeeded.
    pub failing_since: Option<i64>,
    /// The error of the last attempt.
    pub error: Option<String>,
    /// The next attempt of a failing webhook; none when no delivery waits.
    pub next_attempt_at: Option<i64>,
}

impl WebhookHealth {
    pub(crate) fn new(active: bool, failing: Option<&FailingWebhook>, now_ms: i64) -> Self {
        let Some(failing) = failing else {
            let status = if active {
                WebhookStatus::Healthy
            } else {
                WebhookStatus::Inactive
            };
            return WebhookHealth {
                status,
                failing_since: None,
                error: None,
                next_attempt_at: None,
            };
        };
        let pause = failing.open_until.filter(|until| *until > now_ms);
        let due = failing.next_due.map(|due| due.max(now_ms));
        let (status, next_attempt_at) = match pause {
            _ if !active => (WebhookStatus::Inactive, None),
            Some(until) => (
                WebhookStatus::Paused,
                Some(due.map_or(until, |due| due.max(until))),
            ),
            None => (WebhookStatus::Failing, due),
        };
        WebhookHealth {
            status,
            failing_since: Some(failing.since),
            error: Some(failing.error.clone()),
            next_attempt_at,
        }
    }
}

impl Webhooks {
    /// The health of each webhook, in their order.
    pub async fn health(&self, webhooks: &[Webhook]) -> Result<Vec<WebhookHealth>, EngineError> {
        let ids: Vec<WebhookId> = webhooks.iter().map(|webhook| webhook.id.clone()).collect();
        let read = self
            .infra
            .store
            .read(move |c| webhook_health::failing(c, &ids));
        let failing = read.await?;
        let now = self.infra.now_ms();
        let health = webhooks
            .iter()
            .map(|webhook| WebhookHealth::new(webhook.active, failing.get(&webhook.id), now));
        Ok(health.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000;

    fn health(active: bool, open_until: Option<i64>, next_due: Option<i64>) -> WebhookHealth {
        let failing = FailingWebhook {
            id: WebhookId::parse("wh_a").unwrap(),
            name: "a".to_owned(),
            active,
            since: 500,
            error: "no answer".to_owned(),
            open_until,
            next_due,
        };
        WebhookHealth::new(active, Some(&failing), NOW)
    }

    #[test]
    fn a_failing_webhook_has_the_time_of_its_next_attempt() {
        let of = |open_until, next_due| {
            let health = health(true, open_until, next_due);
            (health.status, health.next_attempt_at)
        };
        let (failing, paused) = (WebhookStatus::Failing, WebhookStatus::Paused);
        assert_eq!(of(None, None), (failing, None));
        assert_eq!(of(None, Some(0)), (failing, Some(NOW)));
        assert_eq!(of(Some(900), Some(2_000)), (failing, Some(2_000)));
        assert_eq!(of(Some(1_500), Some(0)), (paused, Some(1_500)));
        assert_eq!(of(Some(1_500), Some(2_000)), (paused, Some(2_000)));
        assert_eq!(of(Some(1_500), None), (paused, Some(1_500)));
    }

    #[test]
    fn an_inactive_webhook_keeps_its_error_and_has_no_next_attempt() {
        let gone = health(false, Some(1_500), Some(0));
        assert_eq!(gone.status, WebhookStatus::Inactive);
        assert_eq!(
            (gone.failing_since, gone.next_attempt_at),
            (Some(500), None)
        );
        assert_eq!(gone.error.as_deref(), Some("no answer"));
        let status = |active| WebhookHealth::new(active, None, NOW).status;
        assert_eq!(status(true), WebhookStatus::Healthy);
        assert_eq!(status(false), WebhookStatus::Inactive);
    }
}
