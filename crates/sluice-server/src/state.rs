//! The state that handlers share: the services, and the parts of the engine that requests reach directly.

use std::{ops::Deref, sync::Arc};

use axum::extract::FromRef;
use sluice_app::App;
use sluice_engine::{
    Engine, Ownership,
    accept::{Accept, Endpoints},
    owner::Replies,
    streams::Streams,
};
use sluice_infra::Infra;

use crate::{body_budget::BodyBudget, wrong_keys::WrongKeys};

/// Cheap to clone. A handler extracts only the parts that it uses.
#[derive(Clone)]
pub struct ServerState(Arc<Parts>);

/// The parts of the state.
pub struct Parts {
    pub app: Arc<App>,
    pub infra: Infra,
    pub accept: Accept,
    pub endpoints: Endpoints,
    pub streams: Streams,
    pub replies: Replies,
    pub ownership: Ownership,
    pub bodies: BodyBudget,
    pub wrong_keys: WrongKeys,
}

impl ServerState {
    pub fn new(app: App, infra: &Infra, engine: &Engine) -> ServerState {
        ServerState(Arc::new(Parts {
            app: Arc::new(app),
            infra: infra.clone(),
            accept: engine.accept.clone(),
            endpoints: engine.endpoints.clone(),
            streams: engine.streams.clone(),
            replies: engine.replies.clone(),
            ownership: engine.ownership(infra),
            wrong_keys: WrongKeys::new(infra.settings.max_wrong_keys),
            bodies: BodyBudget::new(
                infra.settings.body_memory,
                infra.settings.max_body.max(infra.settings.max_api_body),
            ),
        }))
    }
}

impl Deref for ServerState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl FromRef<ServerState> for Arc<App> {
    fn from_ref(state: &ServerState) -> Arc<App> {
        Arc::clone(&state.app)
    }
}

impl FromRef<ServerState> for Infra {
    fn from_ref(state: &ServerState) -> Infra {
        state.infra.clone()
    }
}

impl FromRef<ServerState> for Streams {
    fn from_ref(state: &ServerState) -> Streams {
        state.streams.clone()
    }
}
