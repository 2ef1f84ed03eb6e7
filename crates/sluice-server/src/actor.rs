//! The author of a change for the audit log: the authenticated caller and the address of the client.
//!
//! Handlers that change something list one of these extractors first, in place of those in `auth`.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use http::{Extensions, request::Parts};
use sluice_app::Actor;
use sluice_store::audit;

use crate::{
    auth::{Caller, Credential},
    error::ApiError,
    state::ServerState,
    wrong_keys::ClientAddress,
};

/// The authenticated author of a change.
pub(crate) struct Author(pub(crate) Actor);

/// The authenticated operator, as the author of a change. For other users the path does not exist.
pub(crate) struct OperatorAuthor(pub(crate) Actor);

impl FromRequestParts<ServerState> for Author {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, state).await?;
        Ok(Author(actor_of(&caller, address_of(&parts.extensions))))
    }
}

impl FromRequestParts<ServerState> for OperatorAuthor {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, state).await?;
        if caller.user.operator {
            Ok(OperatorAuthor(actor_of(
                &caller,
                address_of(&parts.extensions),
            )))
        } else {
            Err(ApiError::UnknownPath)
        }
    }
}

/// The one place that turns a caller into the author of a change.
pub(crate) fn actor_of(caller: &Caller, address: Option<IpAddr>) -> Actor {
    let credential = match &caller.credential {
        Credential::MainKey(_) => audit::Credential::Key,
        Credential::NamedKey { .. } => audit::Credential::NamedKey,
        Credential::Session { .. } => audit::Credential::Session,
    };
    let named_key = caller.credential.named_key();
    Actor {
        credential_id: named_key.map(|key| key.id.to_string()),
        ..Actor::new(&caller.user, credential, address)
    }
}

/// The address that `front` gave to the request.
fn address_of(extensions: &Extensions) -> Option<IpAddr> {
    let address: Option<&ClientAddress> = extensions.get();
    address.map(|ClientAddress(ip)| *ip)
}
