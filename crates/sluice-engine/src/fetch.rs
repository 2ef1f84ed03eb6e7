//! Fetching component code by its address.

use std::time::Duration;

use reqwest::{Client, Response, StatusCode, Url, header::LOCATION};
use sluice_outbox::{NetGuard, root_cause};

use crate::error::EngineError;

const TIMEOUT: Duration = Duration::from_secs(15);
const MOST_REDIRECTS: usize = 5;

/// Fetches code; redirects are followed by hand so that each hop passes the same guard.
pub(crate) struct Fetcher {
    client: Client,
    guard: NetGuard,
    most_bytes: usize,
}

impl Fetcher {
    pub(crate) fn new(guard: NetGuard, most_bytes: usize) -> Result<Fetcher, reqwest::Error> {
        Ok(Fetcher {
            client: guard.client().timeout(TIMEOUT).build()?,
            guard,
            most_bytes,
        })
    }

    /// The component at an address.
    pub(crate) async fn code(&self, address: &Url) -> Result<String, EngineError> {
        let missing = || refused("the server answered 404 Not Found");
        self.file(address).await?.ok_or_else(missing)
    }

    /// A file at an address; none when its server says that there is no such file.
    pub(crate) async fn file(&self, address: &Url) -> Result<Option<String>, EngineError> {
        let mut url = address.clone();
        for _ in 0..=MOST_REDIRECTS {
            self.guard.judge(&url).map_err(refused)?;
            let response = self
                .client
                .get(url.clone())
                .send()
                .await
                .map_err(|error| refused(&root_cause(&error)))?;
            if !response.status().is_redirection() {
                return self.text(response).await;
            }
            url = target(&url, &response)?;
        }
        Err(refused(&format!("more than {MOST_REDIRECTS} redirects")))
    }

    async fn text(&self, mut response: Response) -> Result<Option<String>, EngineError> {
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        if response.status() != StatusCode::OK {
            return Err(refused(&format!(
                "the server answered {}",
                response.status()
            )));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| refused(&root_cause(&error)))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > self.most_bytes {
                return Err(refused(&format!(
                    "the code is larger than {} bytes",
                    self.most_bytes
                )));
            }
        }
        String::from_utf8(body)
            .map(Some)
            .map_err(|_| refused("the code is not UTF-8 text"))
    }
}

/// What `component_url` may be: http or https, with a host.
pub(crate) fn checked(address: &str) -> Result<Url, EngineError> {
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
        .ok_or_else(|| refused("a redirect without an address"))?;
    let url = from
        .join(location)
        .map_err(|_| refused("a redirect to no valid address"))?;
    checked(url.as_str()).map_err(|_| refused("a redirect to an address that is not http or https"))
}

fn refused(why: &str) -> EngineError {
    EngineError::Invalid(format!("component_url could not be fetched: {why}"))
}
