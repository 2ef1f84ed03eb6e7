//! Requests that only the owner of a source can handle: another node passes them on and returns the response as it is.

use std::net::IpAddr;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{Method, Request};
use sluice_cluster::{NODE_HEADER, TOKEN_HEADER};
use sluice_engine::Ownership;
use sluice_infra::Infra;
use sluice_model::SourceId;

use crate::error::ApiError;

/// Names the address of the client.
pub(crate) const CLIENT_HEADER: &str = "sluice-client-address";

/// Marks a request that another node passed on. It is not passed on again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassedOn;

pub(crate) struct PassingOn {
    pub(crate) infra: Infra,
    pub(crate) ownership: Ownership,
}

impl PassingOn {
    /// The source whose owner has to handle the request. None when any node can.
    pub(crate) fn subject(&self, request: &Request<Body>) -> Option<SourceId> {
        if self.infra.cluster.is_alone() || request.extensions().get::<PassedOn>().is_some() {
            return None;
        }
        changed_source(request.method(), request.uri().path())
    }

    /// The node that has to handle a request about this source, if it is another one.
    pub(crate) async fn destination(
        &self,
        subject: Option<SourceId>,
    ) -> Result<Option<String>, ApiError> {
        match subject {
            None => Ok(None),
            Some(source) => Ok(self.ownership.other_owner(&source).await?),
        }
    }

    /// Passes a request on and returns the response.
    pub(crate) async fn pass_on(
        &self,
        node: &str,
        request: Request<Body>,
        client: IpAddr,
    ) -> Response {
        let cluster = &self.infra.cluster;
        let (Some(address), Some(http), Some(token)) =
            (cluster.address_of(node), cluster.client(), cluster.token())
        else {
            return unreachable(&"it is not alive");
        };
        let (parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut headers = parts.headers;
        headers.remove(TOKEN_HEADER);
        let passed_on = http
            .request(parts.method, format!("http://{address}{path}"))
            .headers(headers)
            .header(TOKEN_HEADER, token)
            .header(NODE_HEADER, cluster.incarnation())
            .header(CLIENT_HEADER, client.to_string())
            .body(reqwest::Body::wrap_stream(body.into_data_stream()));
        match passed_on.send().await {
            Ok(response) => returned(response),
            Err(error) => unreachable(&error),
        }
    }
}

/// The source that a request changes or deletes.
fn changed_source(method: &Method, path: &str) -> Option<SourceId> {
    if *method != Method::PUT && *method != Method::DELETE {
        return None;
    }
    SourceId::parse(path.strip_prefix("/v1/sources/")?.trim_end_matches('/'))
}

fn returned(response: reqwest::Response) -> Response {
    let response: http::Response<reqwest::Body> = response.into();
    response.map(Body::new)
}

fn unreachable(error: &dyn std::fmt::Display) -> Response {
    let message = format!("the node that runs the source cannot be reached: {error}");
    ApiError::Unavailable(message).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_of_a_source_are_passed_on() {
        let id = "dc_abcdefg";
        let path = format!("/v1/sources/{id}");
        let changed = |method, path: &str| changed_source(&method, path).is_some();
        assert_eq!(changed(Method::PUT, &path), SourceId::parse(id).is_some());
        assert!(changed(Method::DELETE, &format!("{path}/")));
        assert!(!changed(Method::GET, &path));
        assert!(!changed(Method::PUT, "/v1/sources/name"));
        assert!(!changed(Method::DELETE, &format!("{path}/events")));
        assert!(!changed(Method::DELETE, "/v1/workflows/p_abcdefg"));
    }
}
