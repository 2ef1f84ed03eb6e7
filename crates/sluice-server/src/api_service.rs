//! The service for requests of the API, on this node or on the one that has to handle them.

use std::{net::IpAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    response::{IntoResponse, Response},
};
use http::Request;
use tower::ServiceExt;

use crate::{
    passing_on::{PassingOn, Place},
    router,
    state::ServerState,
    wrong_keys::ClientAddress,
};

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub(crate) struct ApiService(Arc<Parts>);

struct Parts {
    router: Router,
    passing_on: PassingOn,
}

impl ApiService {
    pub(crate) fn new(state: &ServerState) -> ApiService {
        ApiService(Arc::new(Parts {
            router: router::router(state.clone()),
            passing_on: PassingOn {
                infra: state.infra.clone(),
                ownership: state.ownership.clone(),
            },
        }))
    }

    pub(crate) async fn respond(&self, mut request: Request<Body>, client_ip: IpAddr) -> Response {
        let Parts { router, passing_on } = &*self.0;
        request.extensions_mut().insert(ClientAddress(client_ip));
        let subject = passing_on.subject(&request);
        match passing_on.place(subject).await {
            Ok(Place::Node(node)) => passing_on.pass_on(&node, request, client_ip).await,
            Ok(Place::Here(_stay)) => match router.clone().oneshot(request).await {
                Ok(response) => response,
                Err(infallible) => match infallible {},
            },
            Err(error) => error.into_response(),
        }
    }
}
