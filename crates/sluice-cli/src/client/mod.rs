//! The REST API as the commands use it.

pub(crate) mod config;
mod connection;
mod error;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder, Response, redirect::Policy};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sluice_api::{Data, List};

pub(crate) use connection::Connection;
pub(crate) use error::ClientError;

/// Everything but what stands in an address as it is.
const IN_ADDRESS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
const LARGEST_PAGE: &str = "100";

/// A client that acts as one user of one server.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    /// Without a slash at the end.
    url: String,
    api_key: String,
}

impl Client {
    pub(crate) fn new(url: &str, api_key: String) -> anyhow::Result<Client> {
        // Plain HTTP needs a TLS provider too; the error only says that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(Policy::none())
            .build()?;
        Ok(Client {
            http,
            url: url.trim_end_matches('/').to_owned(),
            api_key,
        })
    }

    /// Without a slash at the end.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn api_key(&self) -> &str {
        &self.api_key
    }

    /// The `data` of what `path` answers.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let body = self.send(Method::GET, path, None).await?;
        self.data(body)
    }

    /// As [`Client::get`]; none when there is nothing at `path`.
    pub(crate) async fn find<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<Option<T>, ClientError> {
        match self.get(path).await {
            Err(error) if error.is_not_found() => Ok(None),
            found => found.map(Some),
        }
    }

    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = self.send(Method::POST, path, Some(as_json(body))).await?;
        self.data(body)
    }

    /// As [`Client::post`], for an answer that has no envelope.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = self.send(Method::POST, path, Some(as_json(body))).await?;
        self.understood(body)
    }

    pub(crate) async fn put<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = self.send(Method::PUT, path, Some(as_json(body))).await?;
        self.data(body)
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<(), ClientError> {
        self.send(Method::DELETE, path, None).await.map(drop)
    }

    /// One page of a list; `query` holds what selects it, such as `limit`.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<List<T>, ClientError> {
        let query: Vec<String> = query
            .iter()
            .map(|(name, value)| format!("{name}={}", escaped(value)))
            .collect();
        let path = format!("{path}?{}", query.join("&"));
        let body = self.send(Method::GET, &path, None).await?;
        self.understood(body)
    }

    /// Every item of a list, newest first.
    pub(crate) async fn all<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, ClientError> {
        self.selected(path, &[]).await
    }

    /// Every item of a list that `selection` selects.
    pub(crate) async fn selected<T: DeserializeOwned>(
        &self,
        path: &str,
        selection: &[(&str, &str)],
    ) -> Result<Vec<T>, ClientError> {
        let mut items = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let mut query = vec![("limit", LARGEST_PAGE)];
            query.extend_from_slice(selection);
            query.extend(after.as_deref().map(|cursor| ("after", cursor)));
            let List { page_info, data } = self.page(path, &query).await?;
            items.extend(data);
            match page_info.end_cursor {
                Some(cursor) => after = Some(cursor),
                None => return Ok(items),
            }
        }
    }

    /// A stream of server-sent events that goes on after the message `last`, or begins now.
    pub(crate) async fn stream(
        &self,
        path: &str,
        last: Option<&str>,
    ) -> Result<Response, ClientError> {
        let mut request = self.request(Method::GET, path);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.map_err(|e| self.unreachable(e))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let bytes = response.bytes().await.map_err(|e| self.unreachable(e))?;
        Err(ClientError::refused(&self.url, status, &bytes))
    }

    /// Sends a request below `/v1` and gives the body of a success; null when it has none.
    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, ClientError> {
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = request
                .header(reqwest::header::CONTENT_TYPE, "application/json")
                .body(body.to_string());
        }
        let response = request.send().await.map_err(|e| self.unreachable(e))?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(|e| self.unreachable(e))?;
        if !status.is_success() {
            return Err(ClientError::refused(&self.url, status.as_u16(), &bytes));
        }
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes)
            .map_err(|cause| ClientError::not_understood(&self.url, cause))
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http
            .request(method, format!("{}/v1{path}", self.url))
            .bearer_auth(&self.api_key)
    }

    fn unreachable(&self, cause: reqwest::Error) -> ClientError {
        ClientError::unreachable(&self.url, cause)
    }

    fn data<T: DeserializeOwned>(&self, body: Value) -> Result<T, ClientError> {
        self.understood(body).map(|Data { data }| data)
    }

    fn understood<T: DeserializeOwned>(&self, body: Value) -> Result<T, ClientError> {
        serde_json::from_value(body).map_err(|cause| ClientError::not_understood(&self.url, cause))
    }

    /// What a message of a stream says.
    pub(crate) fn message<T: DeserializeOwned>(&self, text: &str) -> Result<T, ClientError> {
        serde_json::from_str(text).map_err(|cause| ClientError::not_understood(&self.url, cause))
    }
}

/// Text as one segment of a path, or one value of a query.
pub(crate) fn escaped(text: &str) -> String {
    utf8_percent_encode(text, IN_ADDRESS).to_string()
}

fn as_json(body: &impl Serialize) -> Value {
    serde_json::to_value(body).expect("what the commands send has string keys")
}
