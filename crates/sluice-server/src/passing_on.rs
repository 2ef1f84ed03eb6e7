//! Requests that only the owner of a source can handle: another node passes them on and returns the response as it is.

use std::net::IpAddr;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{Method, Request};
use sluice_cluster::{NODE_HEADER, TOKEN_HEADER};
use sluice_engine::{Ownership, Stay};
use sluice_infra::Infra;
use sluice_model::{SourceId, TraceContext};

use crate::{error::ApiError, link_span::LinkSpan, passed_on::PassedOn};

/// Names the address of the client.
pub(crate) const CLIENT_HEADER: &str = "sluice-client-address";

/// Counts how often a request was passed on.
pub(crate) const HOPS_HEADER: &str = "sluice-hops";

/// A source that moves meanwhile is followed. Nodes that disagree about its owner must not pass a request on for ever.
const MOST_HOPS: u8 = 3;

/// Where a request is handled.
pub(crate) enum Place {
    /// On this node. The source that it is about stays here until the response is there.
    Here(Option<Stay>),
    Node(String),
}

pub(crate) struct PassingOn {
    pub(crate) infra: Infra,
    pub(crate) ownership: Ownership,
}

impl PassingOn {
    /// The source whose owner has to handle the request. None when any node can.
    pub(crate) fn subject(&self, request: &Request<Body>) -> Option<SourceId> {
        if self.infra.cluster.is_alone() || hops(request) >= MOST_HOPS {
            return None;
        }
        changed_source(request.method(), request.uri().path())
    }

    /// The node that has to handle a request about this source.
    pub(crate) async fn place(&self, subject: Option<SourceId>) -> Result<Place, ApiError> {
        let Some(source) = subject else {
            return Ok(Place::Here(None));
        };
        let stay = self.ownership.stay(&source);
        Ok(match self.ownership.other_owner(&source).await? {
            None => Place::Here(Some(stay)),
            Some(node) => Place::Node(node),
        })
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
        let hops = hops(&request) + 1;
        let (parts, body) = request.into_parts();
        let cause: Option<&TraceContext> = parts.extensions.get();
        let link = LinkSpan::begin(&self.infra, cause);
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut headers = parts.headers;
        // The client's own must not come before those of this node.
        for name in [TOKEN_HEADER, NODE_HEADER, CLIENT_HEADER, HOPS_HEADER] {
            headers.remove(name);
        }
        link.set_headers(&mut headers);
        let passed_on = http
            .request(parts.method, format!("http://{address}{path}"))
            .headers(headers)
            .header(TOKEN_HEADER, token)
            .header(NODE_HEADER, cluster.incarnation())
            .header(CLIENT_HEADER, client.to_string())
            .header(HOPS_HEADER, u16::from(hops))
            .body(reqwest::Body::wrap_stream(body.into_data_stream()));
        let response = passed_on.send().await;
        link.end(&self.infra, node, response.as_ref().err());
        match response {
            Ok(response) => returned(response),
            Err(error) => unreachable(&error),
        }
    }
}

fn hops(request: &Request<Body>) -> u8 {
    let passed_on = request.extensions().get::<PassedOn>();
    passed_on.map_or(0, |PassedOn(hops)| *hops)
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
