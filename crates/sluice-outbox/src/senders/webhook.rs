//! Deliveries to webhooks: the event as JSON, signed. Rows go one after another, so that the order of events holds.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use reqwest::{
    Client, Response, StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
};
use sluice_model::Clock;
use sluice_store::{BatchLimit, deliveries, deliveries::Due};
use sluice_traces::Traces;

use crate::{
    attempt_trace::AttemptTrace,
    delivery_table::{DeliveryReport, DeliveryRow},
    destination::Destination,
    http_response::{excerpt, retry_after},
    journal::Journal,
    net_guard::{NetGuard, root_cause},
    row::{Outcome, Row, Verdict},
    sender::{Attempt, NOTHING, Sender},
    signing::{Keys, seconds},
    strategy::{Refill, Slot, SlowPeers, Strategy},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Shorter than the time after which most servers close an idle connection, which a request could meet half closed.
const IDLE_CONNECTION: Duration = Duration::from_secs(30);
/// Characters that a header cannot have, or not at its ends, and the mark of the encoding.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

pub(crate) struct WebhookSender {
    client: Client,
    guard: NetGuard,
    timeout: Duration,
    clock: Arc<dyn Clock>,
    journal: Arc<Journal>,
    traces: Traces,
}

impl Sender<DeliveryRow> for WebhookSender {
    /// The page is small because there may be thousands of webhooks with a large backlog each. The webhook sets its own
    /// concurrency.
    fn strategy(&self) -> Strategy {
        Strategy {
            window: BatchLimit {
                rows: 200,
                bytes: 512 * 1024,
            },
            refill: Refill::Backlog,
            concurrency: 1,
            per_peer: 1,
            slot: Slot::UntilAnswered,
            slow_peers: SlowPeers::Wait,
        }
    }

    fn attempt<'a>(&'a self, rows: &'a mut [DeliveryRow]) -> Attempt<'a, DeliveryRow> {
        Box::pin(async move {
            match rows {
                [DeliveryRow { due, to }, ..] => self.send(to, due).await,
                [] => Outcome::failed(DeliveryRow::given_up(NOTHING.to_owned(), 0)),
            }
        })
    }
}

impl WebhookSender {
    pub(crate) fn new(
        guard: NetGuard,
        timeout: Duration,
        clock: Arc<dyn Clock>,
        journal: Arc<Journal>,
        traces: Traces,
    ) -> Result<WebhookSender, reqwest::Error> {
        let client = guard
            .client()
            .timeout(timeout)
            .connect_timeout(CONNECT_TIMEOUT.min(timeout))
            .pool_idle_timeout(IDLE_CONNECTION)
            .build()?;
        Ok(WebhookSender {
            client,
            guard,
            timeout,
            clock,
            journal,
            traces,
        })
    }

    /// Sends the data of a delivery, and notes a success in the journal.
    async fn send(&self, to: &Destination, due: &mut Due) -> Outcome<DeliveryReport> {
        let at = self.clock.now_ms();
        let started = Instant::now();
        let trace = AttemptTrace::begin(&self.traces, due.trace.as_ref());
        let response = self.post(to, due, at, &trace).await;
        let mut attempt = deliveries::Attempt {
            at,
            status: None,
            latency_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            response: None,
            error: None,
        };
        let mut note = None;
        let status = response.as_ref().ok().map(Response::status);
        let verdict = match response {
            Ok(response) => {
                attempt.status = Some(response.status().as_u16());
                attempt.error = complaint(response.status());
                let verdict = judge(&response, at);
                if matches!(verdict, Verdict::Sent) {
                    note = self.journal.note(&due.id, &attempt);
                }
                attempt.response = Some(excerpt(response).await);
                verdict
            }
            Err(error) => {
                attempt.error = Some(error);
                Verdict::Retry {
                    after: None,
                    receiver_failed: true,
                }
            }
        };
        trace.end("delivery", at, started.elapsed(), status, |span| {
            span.with("sluice.delivery_id", due.id.as_str())
                .with("sluice.try", due.tries + 1)
                .failed(attempt.error.clone())
        });
        Outcome {
            verdict,
            report: DeliveryReport { attempt, note },
        }
    }

    async fn post(
        &self,
        to: &Destination,
        due: &mut Due,
        at: i64,
        trace: &AttemptTrace<'_>,
    ) -> Result<Response, String> {
        let url = to.url.as_ref()?;
        let keys = to.keys.as_ref()?;
        self.guard.judge(url)?;
        let mut headers = headers(keys, due, at)?;
        trace.set_headers(&mut headers);
        let request = self
            .client
            .post(url.clone())
            .headers(headers)
            .body(std::mem::take(&mut due.data));
        request.send().await.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &reqwest::Error) -> String {
        if !error.is_timeout() {
            return root_cause(error);
        }
        if error.is_connect() {
            let limit = CONNECT_TIMEOUT.min(self.timeout);
            return format!("no connection within {limit:?}");
        }
        format!("no answer within {:?}", self.timeout)
    }
}

pub(super) fn judge(response: &Response, now_ms: i64) -> Verdict {
    let status = response.status();
    let asked = response.headers().get(RETRY_AFTER);
    let after = asked.and_then(|value| retry_after(value.to_str().ok()?, now_ms));
    match (status, after) {
        (StatusCode::GONE, _) => Verdict::Gone,
        (StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE, Some(pause)) => {
            Verdict::Pause(pause)
        }
        (status, _) if status.is_success() => Verdict::Sent,
        (_, after) => Verdict::Retry {
            after,
            receiver_failed: true,
        },
    }
}

fn headers(keys: &Keys, due: &Due, at: i64) -> Result<HeaderMap, String> {
    let id = due.id.as_str();
    let event_name = utf8_percent_encode(&due.channel, ENCODED).to_string();
    let values = [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds(at).to_string()),
        ("webhook-signature", keys.sign(id, at, &due.data)),
        ("x-pd-emitter-id", due.emitter.to_string()),
        ("x-pd-event-id", due.event_id.to_string()),
        ("x-pd-event-name", event_name),
    ];
    let mut headers = HeaderMap::with_capacity(values.len() + 1);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in values {
        let value = value
            .parse()
            .map_err(|_| format!("{name} cannot be {value:?}"))?;
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The error of a response that is no success.
pub(super) fn complaint(status: StatusCode) -> Option<String> {
    if status.is_success() {
        None
    } else if status.is_redirection() {
        Some(format!(
            "the webhook answered {status}: redirects are not followed"
        ))
    } else {
        Some(format!("the webhook answered {status}"))
    }
}
