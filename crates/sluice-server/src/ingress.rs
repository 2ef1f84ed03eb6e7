//! Requests to the endpoints of sources: each becomes an event, is stored, and then answered.
//!
//! This is the hot path. A request is answered with its invocation's id only after the engine has made it durable; an
//! endpoint whose component answers for itself keeps the client waiting for that answer.

mod address;
mod answer;
mod body;
pub(crate) mod callback;
pub(crate) mod confinement;
pub(crate) mod cors;
mod event;
mod grouped;
mod json_text;
mod multipart;

use std::{net::IpAddr, sync::Arc};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{Request, request::Parts};
use parking_lot::Mutex;
use rand::{RngExt, distr::Alphanumeric, rngs::StdRng};
use sluice_engine::accept::{AcceptedRequest, Endpoint, EventForm, Responds};

use self::{
    address::{Address, EndpointHost},
    body::parse_body,
    event::{RequestFacts, body_json, event_json},
    multipart::UploadAddresses,
};
use crate::{error::ApiError, read_body::read_body, session_cookie, state::ServerState};

/// Long enough that an upload's address cannot be guessed.
const UPLOAD_ID_LENGTH: usize = 32;

pub(crate) struct Ingress {
    state: ServerState,
    host: Option<EndpointHost>,
    upload_ids: Mutex<StdRng>,
}

impl Ingress {
    /// `rng` must be unpredictable.
    pub(crate) fn new(state: ServerState, rng: StdRng) -> Self {
        let settings = &state.infra.settings;
        let host = settings
            .endpoint_domain
            .as_deref()
            .map(|domain| EndpointHost::new(domain, &settings.public_url));
        Ingress {
            host,
            upload_ids: Mutex::new(rng),
            state,
        }
    }

    /// Which endpoint the request is for, if it is for one.
    pub(crate) fn address(&self, request: &Request<Body>) -> Option<Address> {
        Address::of(request.uri(), request.headers(), self.host.as_ref())
    }

    pub(crate) async fn handle(
        &self,
        request: Request<Body>,
        address: Address,
        client_ip: IpAddr,
    ) -> Response {
        let endpoint = match self.find(&address).await {
            Ok(endpoint) => endpoint,
            Err(error) => return error.into_response(),
        };
        match endpoint.responds {
            Responds::Immediately => {
                if cors::is_preflight(&request) {
                    return cors::preflight_answer(request.headers());
                }
                let answer = self.take(request, &address, &endpoint, client_ip).await;
                cors::open_to_all(answer.into_response())
            }
            Responds::Custom { .. } => {
                let answer = self.take(request, &address, &endpoint, client_ip).await;
                answer.into_response()
            }
        }
    }

    async fn find(&self, address: &Address) -> Result<Arc<Endpoint>, ApiError> {
        let endpoint = match address.key() {
            Some(key) => self.state.endpoints.find(key).await?,
            None => None,
        };
        endpoint.ok_or(ApiError::NotFound("endpoint"))
    }

    async fn take(
        &self,
        request: Request<Body>,
        address: &Address,
        endpoint: &Arc<Endpoint>,
        client_ip: IpAddr,
    ) -> Result<Response, ApiError> {
        let (mut parts, body) = request.into_parts();
        session_cookie::strip(&mut parts.headers);
        let body = read_body(&parts.headers, body, self.state.infra.settings.max_body).await?;
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
        let accepted = AcceptedRequest { event, uploads };
        let acceptance = self.state.accept.accept(endpoint, accepted).await?;
        answer::answer(acceptance, address.origin()).await
    }

    fn url(&self, address: &Address, parts: &Parts) -> String {
        let public_url = &self.state.infra.settings.public_url;
        address.url(parts, public_url, self.host.as_ref())
    }
}

impl UploadAddresses for Ingress {
    fn new_id(&self) -> String {
        let mut rng = self.upload_ids.lock();
        (0..UPLOAD_ID_LENGTH)
            .map(|_| char::from(rng.sample(Alphanumeric)))
            .collect()
    }

    fn url(&self, id: &str) -> String {
        format!("{}/uploads/{id}", self.state.infra.settings.public_url)
    }
}
