//! Requests to the REST API.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder, Response, redirect::Policy};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sluice_api::{Data, List};

use super::error::ClientError;

/// All characters but the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
const MAX_PAGE_SIZE: &str = "100";

/// A client of one server, as one user.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    /// Without a trailing slash.
    url: String,
    api_key: String,
}

impl Client {
    pub(crate) fn new(url: &str, api_key: String) -> anyhow::Result<Client> {
        // Plain HTTP needs a TLS provider too. The error only means that one is installed already.
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

    /// Without a trailing slash.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn api_key(&self) -> &str {
        &self.api_key
    }

    /// The `data` of the response.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let body = self.send(Method::GET, path, None).await?;
        self.data(body)
    }

    /// As [`Client::get`], for a response without the `data` envelope.
    pub(crate) async fn get_plain<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<T, ClientError> {
        let body = self.send(Method::GET, path, None).await?;
        self.parse(body)
    }

    /// As [`Client::get`], but `None` for a 404.
    pub(crate) async fn find<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<Option<T>, ClientError> {
        match self.get(path).await {
            Err(error) if error.is_not_found() => Ok(None),
            result => result.map(Some),
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

    /// As [`Client::post`], for a response without the `data` envelope.
    pub(crate) async fn post_plain<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = self.send(Method::POST, path, Some(as_json(body))).await?;
        self.parse(body)
    }

    /// Sends a request to an address whose key is the permission, outside of `/v1` and without the API key.
    pub(crate) async fn post_callback<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
    ) -> Result<T, ClientError> {
        let url = format!("{}{path}", self.url);
        let request = self.http.request(Method::POST, url);
        let body = self.respond(with_json(request, body)).await?;
        self.data(body)
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

    /// As [`Client::delete`], with the `data` of the response.
    pub(crate) async fn delete_with_result<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<T, ClientError> {
        let body = self.send(Method::DELETE, path, None).await?;
        self.data(body)
    }

    /// One page of a list. `query` has its parameters, such as `limit`.
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
        self.parse(body)
    }

    /// All items of a list, newest first.
    pub(crate) async fn all<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, ClientError> {
        self.all_matching(path, &[]).await
    }

    /// All items of a list with these query parameters.
    pub(crate) async fn all_matching<T: DeserializeOwned>(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Vec<T>, ClientError> {
        let mut items = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let mut query = vec![("limit", MAX_PAGE_SIZE)];
            query.extend_from_slice(parameters);
            query.extend(after.as_deref().map(|cursor| ("after", cursor)));
            let List { page_info, data } = self.page(path, &query).await?;
            items.extend(data);
            match page_info.end_cursor {
                Some(cursor) => after = Some(cursor),
                None => return Ok(items),
            }
        }
    }

    /// Opens a stream of server-sent events. It resumes after the message `last`, or begins now.
    pub(crate) async fn stream(
        &self,
        path: &str,
        last: Option<&str>,
    ) -> Result<Response, ClientError> {
        let mut request = self.request(Method::GET, path);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        self.open(request).await
    }

    /// Sends a file. The response is a stream.
    pub(crate) async fn upload(
        &self,
        path: &str,
        file: tokio::fs::File,
    ) -> Result<Response, ClientError> {
        let request = self
            .request(Method::POST, path)
            .header(reqwest::header::CONTENT_TYPE, "application/x-tar")
            .body(file);
        self.open(request).await
    }

    /// Sends a message of the Model Context Protocol. The response is JSON or a stream.
    pub(crate) async fn mcp(
        &self,
        headers: &[(&'static str, String)],
        message: String,
    ) -> Result<Response, ClientError> {
        let mut request = self
            .http
            .post(format!("{}/mcp", self.url))
            .bearer_auth(&self.api_key)
            .header(
                reqwest::header::ACCEPT,
                "application/json, text/event-stream",
            )
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .body(message);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        self.open(request).await
    }

    async fn open(&self, request: RequestBuilder) -> Result<Response, ClientError> {
        let response = request.send().await.map_err(|e| self.unreachable(e))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let bytes = response.bytes().await.map_err(|e| self.unreachable(e))?;
        Err(ClientError::api(&self.url, status, &bytes))
    }

    /// Sends a request below `/v1` and returns the body of a success, or null when it is empty.
    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, ClientError> {
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = with_json(request, &body);
        }
        self.respond(request).await
    }

    /// The body of a success, or null when it is empty.
    async fn respond(&self, request: RequestBuilder) -> Result<Value, ClientError> {
        let response = request.send().await.map_err(|e| self.unreachable(e))?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(|e| self.unreachable(e))?;
        if !status.is_success() {
            return Err(ClientError::api(&self.url, status.as_u16(), &bytes));
        }
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes)
            .map_err(|cause| ClientError::invalid_response(&self.url, cause))
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
        self.parse(body).map(|Data { data }| data)
    }

    fn parse<T: DeserializeOwned>(&self, body: Value) -> Result<T, ClientError> {
        serde_json::from_value(body)
            .map_err(|cause| ClientError::invalid_response(&self.url, cause))
    }

    /// Parses a message of a stream.
    pub(crate) fn parse_message<T: DeserializeOwned>(&self, text: &str) -> Result<T, ClientError> {
        serde_json::from_str(text).map_err(|cause| ClientError::invalid_response(&self.url, cause))
    }
}

/// Percent-encodes a path segment or a query value.
pub(crate) fn escaped(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request
        .header(reqwest::header::CONTENT_TYPE, "application/json")
        .body(body.to_string())
}

fn as_json(body: &impl Serialize) -> Value {
    serde_json::to_value(body).expect("request bodies have string keys")
}
