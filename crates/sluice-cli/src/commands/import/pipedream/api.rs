//! Requests to the REST API of Pipedream. All of them read.

use std::{error::Error, time::Duration};

use anyhow::bail;
use reqwest::{Response, StatusCode, header::RETRY_AFTER, redirect::Policy};
use serde_json::Value;
use tokio::time::sleep;

use crate::{
    client::escaped,
    commands::output::{sanitized, show_stderr},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_mins(1);
const MAX_PAGE_SIZE: &str = "100";
/// A longer list is an error of the server.
const MAX_PAGES: usize = 10_000;
const MAX_ATTEMPTS: u32 = 6;
/// Before a retry, if the response does not say how long to wait.
const DEFAULT_WAIT: Duration = Duration::from_secs(5);
const MAX_WAIT: Duration = Duration::from_mins(2);
const MAX_MESSAGE_CHARS: usize = 200;

/// A failed request. Messages never contain the API key.
#[derive(Debug, thiserror::Error)]
pub(super) enum ApiError {
    #[error(
        "{url} rejected the API key: copy it again from the settings of your Pipedream account"
    )]
    Unauthorized { url: String },
    #[error("cannot reach {url}: {cause}")]
    Unreachable { url: String, cause: String },
    #[error("{url} responded with status {status}: {message}")]
    Status {
        url: String,
        status: u16,
        message: String,
    },
    #[error("{url} responded with {status} to {MAX_ATTEMPTS} attempts: try again later")]
    Busy { url: String, status: u16 },
    #[error("{url} did not respond with a list of the expected form: is it the URL of the API?")]
    Unexpected { url: String },
}

/// A client of the API as one user.
pub(super) struct Api {
    http: reqwest::Client,
    /// Without a trailing slash.
    base: String,
    key: String,
}

/// The rows of a list, or the status of a list that the API does not give.
pub(super) enum List {
    Rows(Vec<Value>),
    Missing(u16),
}

impl Api {
    pub(super) fn new(base: &str, key: &str) -> anyhow::Result<Api> {
        if !base.starts_with("https://") && !base.starts_with("http://") {
            bail!("--base-url {base}: must begin with https:// or http://");
        }
        // Plain HTTP needs a TLS provider too. The error only means that one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build()?;
        Ok(Api {
            http,
            base: base.trim_end_matches('/').to_owned(),
            key: key.to_owned(),
        })
    }

    /// The body of a response, or `None` for a 404 or 403.
    pub(super) async fn find(&self, path: &str) -> Result<Option<Value>, ApiError> {
        match self.get(path).await {
            Ok(body) => Ok(Some(body)),
            Err(ApiError::Status {
                status: 403 | 404, ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All rows of a list, in the order of the API.
    pub(super) async fn list(&self, path: &str) -> Result<List, ApiError> {
        let mut rows = Vec::new();
        let mut after: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let sign = if path.contains('?') { '&' } else { '?' };
            let mut page = format!("{path}{sign}limit={MAX_PAGE_SIZE}");
            if let Some(cursor) = &after {
                page = format!("{page}&after={}", escaped(cursor));
            }
            let body = match self.get(&page).await {
                Ok(body) => body,
                Err(ApiError::Status {
                    status: status @ (403 | 404),
                    ..
                }) => return Ok(List::Missing(status)),
                Err(error) => return Err(error),
            };
            let Some(data) = body.get("data").and_then(Value::as_array) else {
                return Err(self.unexpected(path));
            };
            rows.extend(data.iter().cloned());
            let next = next_cursor(&body, data.len(), rows.len());
            if next.is_none() || next == after {
                return Ok(List::Rows(rows));
            }
            after = next;
        }
        Err(self.unexpected(path))
    }

    async fn get(&self, path: &str) -> Result<Value, ApiError> {
        let url = format!("{}{path}", self.base);
        let mut status = StatusCode::TOO_MANY_REQUESTS;
        for _ in 0..MAX_ATTEMPTS {
            let sent = self.http.get(&url).bearer_auth(&self.key).send().await;
            let response = sent.map_err(|error| unreachable(&url, &error))?;
            status = response.status();
            if !is_busy(status) {
                return body(&url, response).await;
            }
            let wait = wait_of(&response);
            let _ = show_stderr(&format!(
                "Pipedream limits the rate of requests: waiting {} s\n",
                wait.as_secs()
            ));
            sleep(wait).await;
        }
        Err(ApiError::Busy {
            url,
            status: status.as_u16(),
        })
    }

    fn unexpected(&self, path: &str) -> ApiError {
        ApiError::Unexpected {
            url: format!("{}{path}", self.base),
        }
    }
}

async fn body(url: &str, response: Response) -> Result<Value, ApiError> {
    let status = response.status();
    if status == StatusCode::UNAUTHORIZED {
        return Err(ApiError::Unauthorized {
            url: url.to_owned(),
        });
    }
    let bytes = response.bytes().await;
    let bytes = bytes.map_err(|error| unreachable(url, &error))?;
    let parsed: Option<Value> = serde_json::from_slice(&bytes).ok();
    match parsed {
        Some(body) if status.is_success() => Ok(body),
        None if status.is_success() => Err(ApiError::Unexpected {
            url: url.to_owned(),
        }),
        body => Err(ApiError::Status {
            url: url.to_owned(),
            status: status.as_u16(),
            message: message_of(body.as_ref()),
        }),
    }
}

/// The `error` of a response, shortened.
fn message_of(body: Option<&Value>) -> String {
    let text = body.and_then(|body| body.get("error")?.as_str());
    let text = sanitized(text.unwrap_or("no message"));
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}

/// The last page also has an `end_cursor`: the end is an empty page, or the total number of rows.
fn next_cursor(body: &Value, in_page: usize, so_far: usize) -> Option<String> {
    let info = body.get("page_info")?;
    let total = info.get("total_count").and_then(Value::as_u64);
    let is_complete = total.is_some_and(|total| so_far as u64 >= total);
    if in_page == 0 || is_complete {
        return None;
    }
    let cursor = info.get("end_cursor")?.as_str()?;
    (!cursor.is_empty()).then(|| cursor.to_owned())
}

fn is_busy(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE
}

fn wait_of(response: &Response) -> Duration {
    let header = response.headers().get(RETRY_AFTER);
    let seconds = header.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let wait = seconds.map_or(DEFAULT_WAIT, Duration::from_secs);
    wait.min(MAX_WAIT)
}

/// The innermost cause says what happened.
fn unreachable(url: &str, error: &reqwest::Error) -> ApiError {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let cause = if error.is_timeout() {
        "no response in time".to_owned()
    } else {
        cause.to_string()
    };
    ApiError::Unreachable {
        url: url.to_owned(),
        cause,
    }
}
