//! Fetching component code from an address.

use std::time::Duration;

use reqwest::{Client, Response, StatusCode, Url, header::LOCATION};

use sluice_engine::EngineError;
use sluice_outbox::{NetGuard, root_cause};

const TIMEOUT: Duration = Duration::from_secs(15);
const MAX_REDIRECTS: usize = 5;

/// Fetches code. Redirects are followed here, so that each hop passes the address guard.
pub(super) struct Fetcher {
    client: Client,
    guard: NetGuard,
    max_bytes: usize,
}

impl Fetcher {
    pub(super) fn new(guard: NetGuard, max_bytes: usize) -> Result<Fetcher, reqwest::Error> {
        Ok(Fetcher {
            client: guard.client().timeout(TIMEOUT).build()?,
            guard,
            max_bytes,
        })
    }

    /// The component at an address.
    pub(super) async fn code(&self, address: &Url) -> Result<String, EngineError> {
        let missing = || rejected("the server answered 404 Not Found");
        self.file(address).await?.ok_or_else(missing)
    }

    /// The file at an address; none when its server answers 404.
    pub(super) async fn file(&self, address: &Url) -> Result<Option<String>, EngineError> {
        let mut url = address.clone();
        for _ in 0..=MAX_REDIRECTS {
            self.guard.judge(&url).map_err(rejected)?;
            let response = self
                .client
                .get(url.clone())
                .send()
                .await
                .map_err(|error| rejected(&root_cause(&error)))?;
            if !response.status().is_redirection() {
                return self.text(response).await;
            }
            url = target(&url, &response)?;
        }
        Err(rejected(&format!("more than {MAX_REDIRECTS} redirects")))
    }

    async fn text(&self, mut response: Response) -> Result<Option<String>, EngineError> {
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        if response.status() != StatusCode::OK {
            return Err(rejected(&format!(
                "the server answered {}",
                response.status()
            )));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| rejected(&root_cause(&error)))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > self.max_bytes {
                return Err(rejected(&format!(
                    "the code is larger than {} bytes",
                    self.max_bytes
                )));
            }
        }
        String::from_utf8(body)
            .map(Some)
            .map_err(|_| rejected("the code is not UTF-8 text"))
    }
}

/// Checks a `component_url`: http or https, with a host.
pub(super) fn checked(address: &str) -> Result<Url, EngineError> {
    let invalid =
        || EngineError::BadRequest("component_url must be an http or https address".to_owned());
    let url = Url::parse(address).map_err(|_| invalid())?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        _ => Err(invalid()),
    }
}

fn target(from: &Url, response: &Response) -> Result<Url, EngineError> {
    let location = response
        .headers()
        .get(LOCATION)
        .and_then(|value| value.to_str().ok())
        .ok_or_else(|| rejected("a redirect without an address"))?;
    let url = from
        .join(location)
        .map_err(|_| rejected("a redirect to no valid address"))?;
    checked(url.as_str())
        .map_err(|_| rejected("a redirect to an address that is not http or https"))
}

fn rejected(reason: &str) -> EngineError {
    EngineError::Invalid(format!("component_url could not be fetched: {reason}"))
}
