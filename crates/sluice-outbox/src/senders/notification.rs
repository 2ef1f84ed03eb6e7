//! Notifications of the server to the webhook of a user: a signed request, as deliveries are.

use std::{sync::Arc, time::Duration};

use reqwest::{
    Client, Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue},
};
use sluice_model::Clock;
use sluice_store::{
    BatchLimit, Store, Vault,
    notification_settings::{self, NotificationWebhook},
    sends::SendRow,
};

use super::webhook::{complaint, judge};
use crate::{
    http_response::{excerpt, one_line},
    net_guard::{NetGuard, root_cause},
    row::Outcome,
    sender::{Attempt, NOTHING, Sender},
    signing::{Keys, seconds},
    strategy::{Refill, Slot, SlowPeers, Strategy},
};

pub(crate) struct NotificationSender {
    client: Client,
    guard: NetGuard,
    timeout: Duration,
    clock: Arc<dyn Clock>,
    store: Store,
    vault: Vault,
}

impl Sender<SendRow> for NotificationSender {
    /// One after another, so that a recovery does not overtake its failure.
    fn strategy(&self) -> Strategy {
        Strategy {
            window: BatchLimit {
                rows: 50,
                bytes: 1024 * 1024,
            },
            refill: Refill::WhenEmpty,
            concurrency: 1,
            per_peer: 1,
            slot: Slot::UntilRecorded,
            slow_peers: SlowPeers::Wait,
        }
    }

    fn attempt<'a>(&'a self, rows: &'a mut [SendRow]) -> Attempt<'a, SendRow> {
        Box::pin(async move {
            match rows {
                [row, ..] => self.send(row).await,
                [] => Outcome::failed(NOTHING.to_owned()),
            }
        })
    }
}

impl NotificationSender {
    pub(crate) fn new(
        guard: NetGuard,
        timeout: Duration,
        clock: Arc<dyn Clock>,
        store: Store,
        vault: Vault,
    ) -> Result<NotificationSender, reqwest::Error> {
        let client = guard.client().timeout(timeout).build()?;
        Ok(NotificationSender {
            client,
            guard,
            timeout,
            clock,
            store,
            vault,
        })
    }

    /// The address and the secret are read for each attempt: a change also counts for messages that wait.
    async fn send(&self, row: &SendRow) -> Outcome<String> {
        let user = row.user_id.clone();
        let read = self
            .store
            .read(move |c| notification_settings::get(c, &user));
        let webhook = match read.await {
            Ok(settings) => settings.webhook,
            Err(error) => return Outcome::retry(error.to_string()),
        };
        let Some(webhook) = webhook else {
            return Outcome::failed("notifications to a webhook are off".to_owned());
        };
        let now_ms = self.clock.now_ms();
        match self.post(&webhook, row, now_ms).await {
            Ok(response) => outcome(response, now_ms).await,
            Err(reason) => Outcome::no_answer(reason),
        }
    }

    async fn post(
        &self,
        webhook: &NotificationWebhook,
        row: &SendRow,
        now_ms: i64,
    ) -> Result<Response, String> {
        let url = Url::parse(&webhook.url).map_err(|error| error.to_string())?;
        self.guard.judge(&url)?;
        let keys = Keys::new(&self.vault, &webhook.secret, webhook.previous.as_ref())?;
        let id = row.id.to_string();
        let body = row.payload.clone();
        let request = self
            .client
            .post(url)
            .headers(headers(&keys, &id, now_ms, &body)?)
            .body(body);
        request.send().await.map_err(|error| {
            if error.is_timeout() {
                format!("no answer within {:?}", self.timeout)
            } else {
                root_cause(&error)
            }
        })
    }
}

async fn outcome(response: Response, now_ms: i64) -> Outcome<String> {
    let (status, verdict) = (response.status(), judge(&response, now_ms));
    let text = excerpt(response).await;
    let report = complaint(status).unwrap_or_else(|| status.to_string());
    let report = one_line(format!("{report} {text}").trim());
    Outcome { verdict, report }
}

fn headers(keys: &Keys, id: &str, now_ms: i64, body: &str) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds(now_ms).to_string()),
        ("webhook-signature", keys.sign(id, now_ms, body)),
    ] {
        let value = value
            .parse()
            .map_err(|_| format!("{name} cannot be {value:?}"))?;
        headers.insert(name, value);
    }
    Ok(headers)
}
