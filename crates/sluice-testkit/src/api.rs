//! A small JSON client for the REST API. It adds the API key and `/v1`, and returns responses unchanged.

use std::{fmt, sync::Once, time::Duration};

use bytes::Bytes;
use reqwest::{
    Client, Method,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap},
    redirect::Policy,
};
use serde_json::Value;

const TIMEOUT: Duration = Duration::from_mins(1);

/// Is called with each request that got a response.
pub type ResponseCheck = fn(&SentRequest, &Answer);

/// What was sent.
#[derive(Debug, Clone)]
pub struct SentRequest {
    pub method: Method,
    pub url: String,
    /// The body, if it is JSON.
    pub body: Option<Value>,
}

/// A client that acts as one user. Cheap to clone; its connections belong to the runtime that first used them.
#[derive(Debug, Clone)]
pub struct Api {
    client: Client,
    url: String,
    key: String,
    check: Option<ResponseCheck>,
}

impl Api {
    /// `url` is the server's, without `/v1`.
    pub fn new(url: &str, key: &str) -> Self {
        static TLS: Once = Once::new();
        TLS.call_once(|| {
            // The client needs a TLS provider even for plain HTTP. A program may have installed its own.
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .no_proxy()
            // Loading the machine's certificates is slower than most requests, and plain HTTP needs none.
            .tls_certs_only([])
            .build()
            .expect("these settings make a client");
        Self {
            client,
            url: url.to_owned(),
            key: key.to_owned(),
            check: None,
        }
    }

    /// The client with a check of every response.
    #[must_use]
    pub fn checked(mut self, check: ResponseCheck) -> Self {
        self.check = Some(check);
        self
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.request(Method::GET, path).send().await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.request(Method::POST, path).json(body).send().await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.request(Method::PUT, path).json(body).send().await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.request(Method::DELETE, path).send().await
    }

    /// A request below `/v1`, with the key; `path` begins with a slash and may have a query.
    pub fn request(&self, method: Method, path: &str) -> Request {
        self.root(method, &format!("/v1{path}"))
            .header(AUTHORIZATION.as_str(), &format!("Bearer {}", self.key))
    }

    /// A request to a path outside `/v1`, without the key.
    pub fn root(&self, method: Method, path: &str) -> Request {
        self.absolute(method, &format!("{}{path}", self.url))
    }

    /// A request to any URL, such as a source's endpoint, without the key.
    pub fn absolute(&self, method: Method, url: &str) -> Request {
        Request {
            inner: self.client.request(method.clone(), url),
            sent: SentRequest {
                method,
                url: url.to_owned(),
                body: None,
            },
            check: self.check,
        }
    }
}

/// A request builder.
#[derive(Debug)]
pub struct Request {
    inner: reqwest::RequestBuilder,
    sent: SentRequest,
    check: Option<ResponseCheck>,
}

impl Request {
    /// Adds a header, or another value of it.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.inner = self.inner.header(name, value);
        self
    }

    #[must_use]
    pub fn body(mut self, bytes: impl Into<Bytes>) -> Self {
        self.inner = self.inner.body(bytes.into());
        self
    }

    #[must_use]
    pub fn json(mut self, body: &Value) -> Self {
        self.sent.body = Some(body.clone());
        self.header(CONTENT_TYPE.as_str(), "application/json")
            .body(body.to_string())
    }

    /// Gives up after this time instead of a minute.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.inner = self.inner.timeout(timeout);
        self
    }

    /// Sends it. Panics without a response.
    pub async fn send(self) -> Answer {
        let what = self.sent.to_string();
        match self.try_send().await {
            Ok(answer) => answer,
            Err(error) => panic!("{what} got no response: {error:?}"),
        }
    }

    /// Sends it when a response is not expected, for example because the server is killed.
    pub async fn try_send(self) -> Result<Answer, reqwest::Error> {
        let response = self.inner.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let bytes = response.bytes().await?;
        let answer = Answer {
            status,
            headers,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            bytes,
            what: self.sent.to_string(),
        };
        if let Some(check) = self.check {
            check(&self.sent, &answer);
        }
        Ok(answer)
    }
}

impl fmt::Display for SentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)
    }
}

/// A response.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// The body as JSON; null when it is not JSON.
    pub body: Value,
    pub text: String,
    pub bytes: Bytes,
    what: String,
}

impl Answer {
    /// Asserts 200, and returns `data` of the body, or the whole body without `data`.
    #[track_caller]
    pub fn ok(self) -> Value {
        let mut body = self.expect(200);
        match body.get_mut("data") {
            Some(data) => data.take(),
            None => body,
        }
    }

    /// Asserts the status, and returns the whole body.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.what, self.text);
        self.body
    }

    /// The value of a header; none when it is absent or not text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}
