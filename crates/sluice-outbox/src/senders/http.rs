//! `$.send.http`: one request to an address that the user chooses.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::{
    Client, Method, Response, StatusCode, Url,
    header::{
        CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
        TRANSFER_ENCODING, UPGRADE,
    },
};
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};
use sluice_model::Clock;
use sluice_store::{BatchLimit, sends::SendRow};
use sluice_traces::Traces;

use crate::{
    attempt_trace::AttemptTrace,
    http_response::{excerpt, is_transient, one_line, retry_after},
    net_guard::{NetGuard, is_refusal, root_cause},
    row::{Batch, Outcome, Verdict},
    sender::{Attempt, NOTHING, Sender},
    strategy::{Refill, Slot, SlowPeers, Strategy},
};

/// Shorter than the time after which most servers close an idle connection, which a request could meet half closed.
const IDLE_CONNECTION: Duration = Duration::from_secs(30);
/// Headers that frame the message. The client sets them.
const FRAMING: [HeaderName; 4] = [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE];

pub(crate) struct HttpSender {
    client: Client,
    guard: NetGuard,
    timeout: Duration,
    clock: Arc<dyn Clock>,
    traces: Traces,
}

/// The parameters of the call.
#[derive(Deserialize)]
struct Order {
    method: String,
    url: String,
    #[serde(default)]
    data: Option<Box<RawValue>>,
    #[serde(default)]
    headers: Option<Map<String, Value>>,
    #[serde(default)]
    params: Option<Map<String, Value>>,
    #[serde(default)]
    auth: Option<Auth>,
}

#[derive(Debug, Deserialize)]
struct Auth {
    #[serde(default)]
    username: Option<String>,
    #[serde(default)]
    password: Option<String>,
}

/// A request that is ready to be sent.
#[derive(Debug)]
struct Prepared {
    method: Method,
    url: Url,
    headers: HeaderMap,
    auth: Option<Auth>,
    body: Option<String>,
}

impl Sender<SendRow> for HttpSender {
    fn strategy(&self) -> Strategy {
        Strategy {
            window: BatchLimit {
                rows: 200,
                bytes: 1024 * 1024,
            },
            refill: Refill::Continuous,
            concurrency: 32,
            per_peer: 8,
            slot: Slot::UntilRecorded,
            slow_peers: SlowPeers::Bypass,
        }
    }

    fn prepare(&self, rows: Vec<SendRow>) -> Vec<Batch<SendRow>> {
        let batch = |row: SendRow| {
            let peer = host(&row.payload).unwrap_or_default();
            Batch::single(row, peer)
        };
        rows.into_iter().map(batch).collect()
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

impl HttpSender {
    pub(crate) fn new(
        guard: NetGuard,
        timeout: Duration,
        clock: Arc<dyn Clock>,
        traces: Traces,
    ) -> Result<HttpSender, reqwest::Error> {
        let client = guard
            .client()
            .timeout(timeout)
            .pool_idle_timeout(IDLE_CONNECTION)
            .build()?;
        Ok(HttpSender {
            client,
            guard,
            timeout,
            clock,
            traces,
        })
    }

    async fn send(&self, row: &SendRow) -> Outcome<String> {
        let (at, started) = (self.clock.now_ms(), Instant::now());
        let trace = AttemptTrace::begin(&self.traces, row.trace.as_ref());
        let response = self.request(&row.payload, &trace).await;
        let status = response.as_ref().ok().map(Response::status);
        let outcome = match response {
            Ok(response) => judge(response, self.clock.now_ms()).await,
            Err(outcome) => outcome,
        };
        trace.end("send", at, started.elapsed(), status, |span| {
            let is_sent = outcome.verdict == Verdict::Sent;
            span.with("sluice.send_id", row.id.as_str())
                .with("sluice.try", row.tries + 1)
                .failed((!is_sent).then(|| outcome.report.clone()))
        });
        outcome
    }

    async fn request(
        &self,
        payload: &str,
        trace: &AttemptTrace<'_>,
    ) -> Result<Response, Outcome<String>> {
        let order: Order = serde_json::from_str(payload)
            .map_err(|error| Outcome::failed(format!("the request is not understood: {error}")))?;
        let Prepared {
            method,
            url,
            mut headers,
            auth,
            body,
        } = prepare(order).map_err(Outcome::failed)?;
        let judged = self.guard.judge(&url);
        judged.map_err(|refusal| Outcome::failed(refusal.to_owned()))?;
        trace.set_headers(&mut headers);
        let mut request = self.client.request(method, url).headers(headers);
        if let Some(Auth { username, password }) = auth {
            request = request.basic_auth(username.unwrap_or_default(), password);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        request.send().await.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &reqwest::Error) -> Outcome<String> {
        if error.is_timeout() {
            return Outcome::no_answer(format!("no answer within {:?}", self.timeout));
        }
        if error.is_builder() || is_refusal(error) {
            return Outcome::failed(root_cause(error));
        }
        Outcome::no_answer(root_cause(error))
    }
}

/// The host and port of a request, if it has an address.
fn host(payload: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Destination {
        url: String,
    }
    let to: Destination = serde_json::from_str(payload).ok()?;
    let url = Url::parse(&to.url).ok()?;
    let port = url.port_or_known_default()?;
    Some(format!("{}:{port}", url.host_str()?))
}

fn prepare(order: Order) -> Result<Prepared, String> {
    let method = Method::from_bytes(order.method.to_ascii_uppercase().as_bytes())
        .map_err(|_| format!("{:?} is no method", order.method))?;
    let mut url = Url::parse(&order.url)
        .map_err(|error| format!("the address {:?} is not valid: {error}", order.url))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("the address must begin with http:// or https://".to_owned());
    }
    append(&mut url, &order.params.unwrap_or_default());
    let mut headers = headers(&order.headers.unwrap_or_default())?;
    let body = order.data.map(|data| {
        text(&data).unwrap_or_else(|| {
            headers
                .entry(CONTENT_TYPE)
                .or_insert(HeaderValue::from_static("application/json"));
            data.get().to_owned()
        })
    });
    Ok(Prepared {
        method,
        url,
        headers,
        auth: order.auth,
        body,
    })
}

/// The text of a JSON string.
fn text(data: &RawValue) -> Option<String> {
    serde_json::from_str(data.get()).ok()
}

/// Parameters as common clients append them: `a=1`, and `b[]=1&b[]=2` for a list.
fn append(url: &mut Url, params: &Map<String, Value>) {
    if params.is_empty() {
        return;
    }
    let mut query = url.query_pairs_mut();
    for (name, value) in params {
        match value {
            Value::Null => {}
            Value::Array(values) => {
                let name = format!("{name}[]");
                for value in values {
                    query.append_pair(&name, &plain(value));
                }
            }
            value => drop(query.append_pair(name, &plain(value))),
        }
    }
}

fn headers(given: &Map<String, Value>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::with_capacity(given.len());
    for (name, value) in given {
        let header: HeaderName = name
            .parse()
            .map_err(|_| format!("{name:?} is no name of a header"))?;
        if FRAMING.contains(&header) || value.is_null() {
            continue;
        }
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values {
            let value = HeaderValue::from_bytes(plain(value).as_bytes())
                .map_err(|_| format!("the header {name} cannot have this value"))?;
            headers.append(header.clone(), value);
        }
    }
    Ok(headers)
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

async fn judge(response: Response, now_ms: i64) -> Outcome<String> {
    let status = response.status();
    let asked = response.headers().get(RETRY_AFTER);
    let after = asked.and_then(|value| retry_after(value.to_str().ok()?, now_ms));
    // Read also after a success, so that the connection can be reused.
    let text = excerpt(response).await;
    if status.is_success() {
        return Outcome::sent(status.as_u16().to_string());
    }
    let report = complaint(status, &text);
    if !is_transient(status) {
        return Outcome::failed(report);
    }
    Outcome {
        verdict: Verdict::Retry {
            after,
            receiver_failed: false,
        },
        report,
    }
}

fn complaint(status: StatusCode, answer: &str) -> String {
    if status.is_redirection() {
        return format!("answered {status}: redirects are not followed");
    }
    match one_line(answer) {
        answer if answer.is_empty() => format!("answered {status}"),
        answer => format!("answered {status}: {answer}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prepared(order: &Value) -> Result<Prepared, String> {
        prepare(serde_json::from_str(&order.to_string()).unwrap())
    }

    #[test]
    fn parameters_are_appended_to_those_of_the_address() {
        let order = json!({ "method": "get", "url": "https://example.com/a?x=1",
            "params": { "y": "a b", "n": 2, "list": [1, "z"], "none": null } });
        let prepared = prepared(&order).unwrap();
        assert_eq!(prepared.method, Method::GET);
        assert_eq!(
            prepared.url.as_str(),
            "https://example.com/a?x=1&y=a+b&n=2&list%5B%5D=1&list%5B%5D=z"
        );
        assert!(prepared.body.is_none());
    }

    #[test]
    fn objects_go_as_json_and_text_as_it_is() {
        let send = |data: Value, headers: Value| {
            let order = json!({ "method": "POST", "url": "https://example.com", "data": data, "headers": headers });
            let prepared = prepared(&order).unwrap();
            let content_type = prepared.headers.get(CONTENT_TYPE).cloned();
            let content_type = content_type.map(|value| value.to_str().unwrap().to_owned());
            (prepared.body, content_type)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            send(json!({ "a": [1.50] }), json!({})),
            (some(r#"{"a":[1.5]}"#), some("application/json"))
        );
        assert_eq!(
            send(json!({}), json!({ "Content-Type": "text/x" })),
            (some("{}"), some("text/x"))
        );
        assert_eq!(send(json!("a\nb"), json!({})), (some("a\nb"), None));
        assert_eq!(send(json!(null), json!({})), (None, None));
    }

    #[test]
    fn headers_that_carry_the_message_are_not_the_users() {
        let order = json!({ "method": "POST", "url": "https://example.com",
            "headers": { "Content-Length": "7", "x-many": ["a", 2], "x-none": null } });
        let headers = prepared(&order).unwrap().headers;
        assert_eq!(headers.len(), 2);
        assert_eq!(headers.get_all("x-many").iter().count(), 2);
    }

    #[test]
    fn what_cannot_be_a_request_is_refused() {
        for order in [
            json!({ "method": "A B", "url": "https://example.com" }),
            json!({ "method": "GET", "url": "example.com" }),
            json!({ "method": "GET", "url": "file:///etc/passwd" }),
            json!({ "method": "GET", "url": "https://example.com", "headers": { "a b": "c" } }),
            json!({ "method": "GET", "url": "https://example.com", "headers": { "a": "b\r\nc: d" } }),
        ] {
            prepared(&order).unwrap_err();
        }
    }
}
