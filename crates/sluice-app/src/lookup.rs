//! Rows that several services read.

use sluice_engine::EngineError;
use sluice_model::{SourceId, UserId, WorkflowId};
use sluice_store::{
    Store,
    components::{self, Component},
    sources::{self, Source},
    workflows::{self, Workflow},
};

/// A source of the user.
pub(crate) async fn source(
    store: &Store,
    user: &UserId,
    id: &SourceId,
) -> Result<Source, EngineError> {
    let (user, id) = (user.clone(), id.clone());
    store
        .read(move |c| sources::get(c, &user, &id))
        .await?
        .ok_or(EngineError::NotFound("source"))
}

/// The user's source with this id or slug.
pub(crate) async fn source_named(
    store: &Store,
    user: &UserId,
    id_or_slug: &str,
) -> Result<Source, EngineError> {
    let (user, wanted) = (user.clone(), id_or_slug.to_owned());
    let found = store.read(move |c| match SourceId::parse(&wanted) {
        Some(id) => sources::get(c, &user, &id),
        None => sources::by_slug(c, &user, &wanted),
    });
    found.await?.ok_or(EngineError::NotFound("source"))
}

/// The user's workflow with this id or slug.
pub(crate) async fn workflow_named(
    store: &Store,
    user: &UserId,
    id_or_slug: &str,
) -> Result<Workflow, EngineError> {
    let (user, wanted) = (user.clone(), id_or_slug.to_owned());
    let found = store.read(move |c| match WorkflowId::parse(&wanted) {
        Some(id) => workflows::get(c, &user, &id),
        None => workflows::by_slug(c, &user, &wanted),
    });
    found.await?.ok_or(EngineError::NotFound("workflow"))
}

/// The component that a source runs, even if it is no longer published.
pub(crate) async fn component_of(store: &Store, source: &Source) -> Result<Component, EngineError> {
    let id = source.component_id.clone();
    store
        .read(move |c| components::get_for_run(c, &id))
        .await?
        .ok_or(EngineError::NotFound("component"))
}
