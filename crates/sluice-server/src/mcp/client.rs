//! The client of a request.

use std::net::IpAddr;

use http::{HeaderValue, header::AUTHORIZATION, request::Parts};
use sluice_model::{Scope, Scopes, TraceContext, UserId};

use crate::auth::Caller;

/// The authenticated client, as its tools need it.
#[derive(Clone)]
pub(super) struct McpClient {
    pub(super) user: UserId,
    pub(super) address: IpAddr,
    /// The header with its key, which its calls of the API have too.
    pub(super) authorization: Option<HeaderValue>,
    /// The span of the request, which is the cause of its calls.
    pub(super) trace: Option<TraceContext>,
    scopes: Scopes,
}

impl McpClient {
    pub(super) fn new(caller: &Caller, parts: &Parts, address: IpAddr) -> McpClient {
        let named = caller.credential.named_key();
        McpClient {
            user: caller.user.id.clone(),
            address,
            authorization: parts.headers.get(AUTHORIZATION).cloned(),
            trace: parts.extensions.get().cloned(),
            scopes: named.map_or_else(Scopes::all, |key| key.scopes),
        }
    }

    pub(super) fn has(&self, scope: Scope) -> bool {
        self.scopes.has(scope)
    }

    pub(super) fn may_run_tools(&self) -> bool {
        self.has(Scope::Run) || self.has(Scope::Deploy)
    }
}
