//! Requests to endpoints: each becomes an event, is stored, and is then answered.
//!
//! This is the hot path. The response with the id of the invocation is sent only after the event is durable. An endpoint with
//! custom responses answers when its component does.

mod address;
mod answer;
mod body;
pub(crate) mod callback;
mod callback_page;
pub(crate) mod confinement;
mod event;
mod grouped;
mod json_text;
mod multipart;
mod upload_address;

use std::{net::IpAddr, sync::Arc};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{Request, request::Parts};
use sluice_engine::accept::{Acceptance, AcceptedRequest, Endpoint, EventForm, Responds};

pub(crate) use self::address::Address;
use self::{
    address::EndpointHost,
    body::parse_body,
    event::{RequestFacts, body_json, event_json},
    upload_address::UploadAddresses,
};
use crate::{
    cors,
    error::ApiError,
    read_body::read_body,
    request_span::{self, RequestSpan},
    session_cookie,
    state::ServerState,
};

pub(crate) struct Ingress {
    state: ServerState,
    host: Option<EndpointHost>,
}

impl Ingress {
    pub(crate) fn new(state: ServerState) -> Self {
        let settings = &state.infra.settings;
        let host = settings
            .endpoint_domain
            .as_deref()
            .map(|domain| EndpointHost::new(domain, &settings.public_url));
        Ingress { state, host }
    }

    /// The endpoint that the request is for; none for requests to the API.
    pub(crate) fn address(&self, request: &Request<Body>) -> Option<Address> {
        Address::of(request.uri(), request.headers(), self.host.as_ref())
    }

    pub(crate) async fn handle(
        &self,
        request: Request<Body>,
        address: Address,
        client_ip: IpAddr,
        span: &RequestSpan,
    ) -> Response {
        let endpoint = match self.find(&address).await {
            Ok(endpoint) => endpoint,
            Err(error) => return failed(error, span),
        };
        let respond = async |request| {
            let responded = self.respond(request, &address, &endpoint, client_ip).await;
            responded.unwrap_or_else(|error| failed(error, span))
        };
        match endpoint.responds {
            Responds::Immediately => cors::allow_any_origin(request, respond).await,
            Responds::Custom { .. } => respond(request).await,
        }
    }

    async fn find(&self, address: &Address) -> Result<Arc<Endpoint>, ApiError> {
        let endpoint = match address.key() {
            Some(key) => self.state.endpoints.find(key).await?,
            None => None,
        };
        endpoint.ok_or(ApiError::NotFound("endpoint"))
    }

    async fn respond(
        &self,
        request: Request<Body>,
        address: &Address,
        endpoint: &Arc<Endpoint>,
        client_ip: IpAddr,
    ) -> Result<Response, ApiError> {
        let acceptance = self.accept(request, address, endpoint, client_ip).await?;
        answer::answer(acceptance, address.origin()).await
    }

    async fn accept(
        &self,
        request: Request<Body>,
        address: &Address,
        endpoint: &Arc<Endpoint>,
        client_ip: IpAddr,
    ) -> Result<Acceptance, ApiError> {
        let (mut parts, body) = request.into_parts();
        session_cookie::strip(&mut parts.headers);
        let limit = self.state.infra.settings.max_body;
        // Until the event is stored.
        let mut memory = self.state.bodies.of_endpoint(endpoint.emitter_id.as_str());
        let body = read_body(&parts.headers, body, limit, &mut memory).await?;
        let (parsed, uploads) = parse_body(&parts.headers, &body, self).await;
        let event = match endpoint.event {
            EventForm::Request => event_json(
                &RequestFacts {
                    method: &parts.method,
                    path: address.event_path(&parts.uri),
                    query: parts.uri.query().unwrap_or_default(),
                    headers: &parts.headers,
                    url: &self.url(address, &parts),
                    client_ip,
                },
                &parsed,
            ),
            EventForm::Body => body_json(&parsed),
        };
        let accepted = AcceptedRequest {
            event,
            uploads,
            trace: parts.extensions.remove(),
        };
        let acceptance = self.state.accept.accept(endpoint, accepted).await?;
        request_span::record_accepted(&endpoint.emitter_id, &acceptance);
        Ok(acceptance)
    }

    fn url(&self, address: &Address, parts: &Parts) -> String {
        let public_url = &self.state.infra.settings.public_url;
        address.url(parts, public_url, self.host.as_ref())
    }
}

/// An error of the server is logged.
fn failed(error: ApiError, span: &RequestSpan) -> Response {
    span.in_scope(|| error.into_response())
}

impl UploadAddresses for Ingress {
    fn new_id(&self) -> String {
        upload_address::new_id(&mut self.state.infra.ids.rng())
    }

    fn url(&self, id: &str) -> String {
        upload_address::url(&self.state.infra.settings.public_url, id)
    }
}
