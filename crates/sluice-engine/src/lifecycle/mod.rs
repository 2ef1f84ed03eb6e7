//! Creating, updating and deleting sources, with their hooks, in the order the design gives.
//!
//! Each operation runs in a task of its own, so that a client that hangs up does not leave it half done.

mod create;
mod delete;
pub(crate) mod plan;
mod update;

use std::{future::Future, sync::Arc};

use serde_json::{Map, Value};
use sluice_model::{ComponentShape, SourceId, UserId, slugify, unique_slug};
use sluice_store::{
    Conn, StoreError,
    events::{self, ChannelFilter},
    logs,
    sources::{self, Retention},
};

use crate::{
    ComponentRef, Engine,
    error::EngineError,
    owners::Owner,
    source::{Engagement, SourceHandle},
};

pub struct CreateSource {
    pub component: ComponentRef,
    pub name: Option<String>,
    pub configured_props: Map<String, Value>,
    /// What `additionalProps` declared for these values, when that has been asked before.
    pub dynamic_props_id: Option<String>,
    pub retention: Retention,
}

pub struct UpdateSource {
    pub component: Option<ComponentRef>,
    pub name: Option<String>,
    pub configured_props: Option<Map<String, Value>>,
    pub dynamic_props_id: Option<String>,
    /// Nothing keeps what there is.
    pub retention: Option<Retention>,
    pub active: bool,
}

/// What to do when the `deactivate` hook of a source that is being deleted throws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnHookError {
    Refuse,
    Ignore,
}

/// Events from `start` to `end`, both included; open where there is none.
pub struct EventRange {
    pub start: Option<sluice_model::EventId>,
    pub end: Option<sluice_model::EventId>,
    pub channel: ChannelFilter,
}

impl Engine {
    pub async fn delete_events(
        &self,
        user: &UserId,
        id: &SourceId,
        range: EventRange,
    ) -> Result<(), EngineError> {
        let source = self.source_row(user, id).await?;
        let EventRange {
            start,
            end,
            channel,
        } = range;
        self.context
            .infra
            .store
            .write(move |c| events::delete_range(c, &source.id, &channel, start, end))
            .await?;
        Ok(())
    }

    /// Deletes log lines from `start` to `end`, both included; open where there is none.
    pub async fn delete_logs(
        &self,
        user: &UserId,
        id: &SourceId,
        start: Option<i64>,
        end: Option<i64>,
    ) -> Result<(), EngineError> {
        let source = self.source_row(user, id).await?;
        self.context
            .infra
            .store
            .write(move |c| logs::delete_range(c, &source.id, start, end))
            .await?;
        Ok(())
    }

    /// Takes a source in hand. Its owner may be just leaving, or the source may be gone with it.
    async fn engage(&self, id: &SourceId) -> Result<Engagement, EngineError> {
        let context = &self.context;
        loop {
            let handle: Arc<SourceHandle> = context.owners.of_source(context, id);
            if let Some(engagement) = Arc::clone(&handle).engage().await {
                return Ok(engagement);
            }
            context.owners.release(&Owner::Source(handle));
            if context.infra.shutdown.is_draining() {
                return Err(EngineError::shutting_down());
            }
            let wanted = id.clone();
            let found = context
                .infra
                .store
                .read(move |c| sources::get_for_run(c, &wanted))
                .await?;
            if found.is_none() {
                return Err(EngineError::NotFound("source"));
            }
        }
    }

    pub(crate) async fn to_the_end<T, F>(
        &self,
        operation: impl FnOnce(Engine) -> F,
    ) -> Result<T, EngineError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, EngineError>> + Send + 'static,
    {
        if self.context.infra.shutdown.is_draining() {
            return Err(EngineError::shutting_down());
        }
        let task = self.context.infra.shutdown.spawn(operation(self.clone()));
        task.await
            .map_err(|error| EngineError::Internal(error.to_string()))?
    }
}

/// The slug a source or a workflow gets: that of its name, with a number when the user has it already.
pub(crate) fn free_slug(
    c: &mut dyn Conn,
    user: &UserId,
    name: &str,
    is_taken: fn(&mut dyn Conn, &UserId, &str) -> Result<bool, StoreError>,
) -> Result<String, StoreError> {
    let mut failure = None;
    let slug = unique_slug(&slugify(name), |candidate| {
        match is_taken(c, user, candidate) {
            Ok(taken) => taken,
            Err(error) => {
                failure = Some(error);
                false
            }
        }
    });
    failure.map_or(Ok(slug), Err)
}

fn must_be_a_source(shape: &ComponentShape) -> Result<(), EngineError> {
    match shape.kind {
        sluice_model::ComponentKind::Source => Ok(()),
        sluice_model::ComponentKind::Action => Err(EngineError::Invalid(
            "the component is an action: only sources can be deployed".to_owned(),
        )),
    }
}
