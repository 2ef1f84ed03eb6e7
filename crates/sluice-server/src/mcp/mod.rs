//! The server of the Model Context Protocol at `/mcp`, by which AI agents use this server: streamable HTTP without sessions, so a
//! request may reach any node.
//!
//! A call of a tool is a request of the API with the same API key, so keys, scopes, limits and the audit log apply to agents as to
//! all other clients.

mod builtin;
mod call;
mod client;
mod handler;
mod outcome;

use std::{net::IpAddr, sync::Arc};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{
    HeaderValue, Request, StatusCode,
    header::{CACHE_CONTROL, WWW_AUTHENTICATE},
};
use http_body_util::Full;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use self::{client::McpClient, handler::McpHandler};
use crate::{
    api_service::ApiService,
    auth::Caller,
    error::ApiError,
    mcp_path::PATH,
    read_body::read_body,
    request_span::{self, Route},
    routes::agent_oauth,
    state::ServerState,
    wrong_keys::ClientAddress,
};

pub(crate) struct Mcp {
    state: ServerState,
    service: StreamableHttpService<McpHandler, NeverSessionManager>,
}

impl Mcp {
    pub(crate) fn new(state: ServerState, api: ApiService) -> Mcp {
        let handler = McpHandler::new(Arc::clone(&state.app), api);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // Every request needs a key, which a page of another origin does not have.
            .disable_allowed_hosts()
            .with_max_request_body_bytes(state.infra.settings.max_api_body);
        let service = StreamableHttpService::new(
            move || Ok(handler.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        Mcp { state, service }
    }

    pub(crate) async fn respond(&self, request: Request<Body>, client_ip: IpAddr) -> Response {
        request_span::record_path(PATH);
        let mut response = match self.handle(request, client_ip).await {
            Ok(response) => response,
            Err(error) => error.into_response(),
        };
        response.extensions_mut().insert(Route::Fixed(PATH));
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if response.status() == StatusCode::UNAUTHORIZED {
            let url = &self.state.infra.settings.public_url;
            let metadata = agent_oauth::RESOURCE;
            let scheme = format!("Bearer resource_metadata=\"{url}{metadata}\"");
            if let Ok(scheme) = HeaderValue::try_from(scheme) {
                response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            }
        }
        response
    }

    async fn handle(
        &self,
        request: Request<Body>,
        client_ip: IpAddr,
    ) -> Result<Response, ApiError> {
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(ClientAddress(client_ip));
        let caller = Caller::by_key(&parts, &self.state).await?;
        let caller = caller.ok_or(ApiError::Unauthorized)?;
        let client = McpClient::new(&caller, &parts, client_ip);
        let limit = self.state.infra.settings.max_api_body;
        let mut memory = self.state.bodies.of_request();
        let body = read_body(&parts.headers, body, limit, &mut memory).await?;
        parts.extensions.insert(client);
        let request = Request::from_parts(parts, Full::new(body));
        Ok(self.service.handle(request).await.map(Body::new))
    }
}
