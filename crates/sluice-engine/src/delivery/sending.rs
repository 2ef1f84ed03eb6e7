//! One try: the request to a webhook, and what is kept of the answer.

use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
};
use sluice_model::Clock;
use sluice_store::{
    Vault,
    deliveries::{Attempt, Due},
    webhooks::Webhook,
};

use super::{
    journal::{Journal, Note},
    schedule::retry_after,
    signing::{Keys, seconds},
};
use crate::net_guard::{NetGuard, root_cause};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Shorter than the time after which most servers close an idle connection, which a request could meet half closed.
const IDLE_CONNECTION: Duration = Duration::from_secs(30);
const MOST_READ: usize = 64 * 1024;
const MOST_KEPT_CHARACTERS: usize = 1_000;
/// As many bytes as that many characters can have.
const MOST_KEPT_BYTES: usize = 4 * MOST_KEPT_CHARACTERS;
/// What may not stand in a header, or only in the middle of it; and what marks the encoding.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

pub(super) struct Sender {
    client: Client,
    guard: NetGuard,
    timeout: Duration,
}

/// Where a webhook's deliveries go and how they are signed; an error is why none can go.
pub(super) struct Destination {
    url: Result<Url, String>,
    keys: Result<Keys, String>,
}

/// What came of a try.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) attempt: Attempt,
    pub(super) verdict: Verdict,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The note of it is to be given back when it is recorded.
    Delivered(Option<Note>),
    Failed {
        retry_after: Option<Duration>,
    },
    /// The receiver wants nothing at all for a while.
    NotNow(Duration),
    /// The receiver wants nothing any more.
    Gone,
}

impl Destination {
    pub(super) fn new(vault: &Vault, webhook: &Webhook) -> Destination {
        Destination {
            url: Url::parse(&webhook.url)
                .map_err(|error| format!("the address of the webhook is not valid: {error}")),
            keys: Keys::open(vault, webhook),
        }
    }
}

impl Sender {
    pub(super) fn new(guard: NetGuard, timeout: Duration) -> Result<Sender, reqwest::Error> {
        let client = guard
            .client()
            .timeout(timeout)
            .connect_timeout(CONNECT_TIMEOUT.min(timeout))
            .pool_idle_timeout(IDLE_CONNECTION)
            .build()?;
        Ok(Sender {
            client,
            guard,
            timeout,
        })
    }

    /// Tries a delivery once; its data goes with the request. A success is in the journal when this answers.
    pub(super) async fn send(
        &self,
        clock: &dyn Clock,
        journal: &Journal,
        to: &Destination,
        due: &mut Due,
    ) -> Report {
        let at = clock.now_ms();
        let started = Instant::now();
        let answer = self.post(to, due, at).await;
        let mut attempt = Attempt {
            at,
            status: None,
            latency_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            response: None,
            error: None,
        };
        let verdict = match answer {
            Ok(response) => {
                let status = response.status();
                attempt.status = Some(status.as_u16());
                attempt.error = complaint(status);
                let asked = response.headers().get(RETRY_AFTER);
                let asked = asked
                    .and_then(|value| retry_after(value.to_str().ok()?, at))
                    .filter(|_| !status.is_success());
                let verdict = match (status, asked) {
                    (StatusCode::GONE, _) => Verdict::Gone,
                    (
                        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE,
                        Some(pause),
                    ) => Verdict::NotNow(pause),
                    (status, _) if status.is_success() => {
                        Verdict::Delivered(journal.note(&due.id, &attempt))
                    }
                    (_, retry_after) => Verdict::Failed { retry_after },
                };
                attempt.response = Some(beginning(response).await);
                verdict
            }
            Err(error) => {
                attempt.error = Some(error);
                Verdict::Failed { retry_after: None }
            }
        };
        Report { attempt, verdict }
    }

    async fn post(&self, to: &Destination, due: &mut Due, at: i64) -> Result<Response, String> {
        let url = to.url.as_ref()?;
        let keys = to.keys.as_ref()?;
        self.guard.judge(url)?;
        let headers = headers(keys, due, at)?;
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

/// Why an answer is no success.
fn complaint(status: StatusCode) -> Option<String> {
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

/// The first characters of an answer. Reading stops at a limit, at an error, and when the time for the try is over: the status
/// has been judged already.
pub(crate) async fn beginning(mut response: Response) -> String {
    let mut kept = Vec::new();
    let mut read = 0;
    while read < MOST_READ
        && let Ok(Some(chunk)) = response.chunk().await
    {
        read += chunk.len();
        let room = MOST_KEPT_BYTES.saturating_sub(kept.len());
        kept.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    let text = String::from_utf8_lossy(&kept);
    let characters = text.chars().filter(|character| *character != '\0');
    characters.take(MOST_KEPT_CHARACTERS).collect()
}
