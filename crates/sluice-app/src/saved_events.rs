//! Events for runs by hand: those that users saved by name, and the last request of a source.

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::{EmitterId, UserId};
use sluice_store::{
    audit::{Action, TargetKind},
    last_requests::{self, LastRequest},
    saved_events::{self, SavedEvent},
};

use crate::{
    audit::{Actor, Change, Target},
    lookup,
};

/// The most saved events of a source or workflow.
const MAX_EVENTS: u64 = 50;
/// The longest name, in characters.
const MAX_NAME: usize = 100;
/// The largest saved event.
const MAX_BYTES: usize = 64 * 1024;

/// A source or a workflow, by its id or slug.
#[derive(Debug, Clone, Copy)]
pub enum EmitterName<'a> {
    Source(&'a str),
    Workflow(&'a str),
}

/// Lists, saves and deletes events for runs by hand.
#[derive(Clone)]
pub struct SavedEvents {
    infra: Infra,
}

impl SavedEvents {
    pub(crate) fn new(infra: &Infra) -> SavedEvents {
        SavedEvents {
            infra: infra.clone(),
        }
    }

    /// All of one source or workflow, by name.
    pub async fn list(
        &self,
        user: &UserId,
        emitter: EmitterName<'_>,
    ) -> Result<Vec<SavedEvent>, EngineError> {
        let (id, _) = self.find(user, emitter).await?;
        let found = self.infra.store.read(move |c| saved_events::list(c, &id));
        Ok(found.await?)
    }

    /// Saves an event. One of the same name is replaced.
    pub async fn save(
        &self,
        actor: &Actor,
        emitter: EmitterName<'_>,
        name: &str,
        event: String,
    ) -> Result<SavedEvent, EngineError> {
        check(name, &event)?;
        let (id, target) = self.find(&actor.user_id, emitter).await?;
        let change = Change::new(&self.infra, actor, Action::SavedEventSave, target);
        let change = change.with("event", name);
        let saved = SavedEvent {
            name: name.to_owned(),
            event,
            updated_at: self.infra.now_ms(),
        };
        let stored = saved.clone();
        let written = self.infra.store.write(move |c| {
            let is_full = saved_events::count_others(c, &id, &stored.name)? >= MAX_EVENTS;
            if !is_full {
                saved_events::save(c, &id, &stored)?;
                change.record(c)?;
            }
            Ok(!is_full)
        });
        if !written.await? {
            let message = format!("{MAX_EVENTS} events are saved already: delete one first");
            return Err(EngineError::Conflict(message));
        }
        Ok(saved)
    }

    pub async fn delete(
        &self,
        actor: &Actor,
        emitter: EmitterName<'_>,
        name: String,
    ) -> Result<(), EngineError> {
        let (id, target) = self.find(&actor.user_id, emitter).await?;
        let change = Change::new(&self.infra, actor, Action::SavedEventDelete, target);
        let change = change.with("event", name.as_str());
        let removed = self.infra.store.write(move |c| {
            let removed = saved_events::remove(c, &id, &name)?;
            if removed {
                change.record(c)?;
            }
            Ok(removed)
        });
        if removed.await? {
            Ok(())
        } else {
            Err(EngineError::NotFound("saved event"))
        }
    }

    /// The last HTTP request of a source that its owner stored.
    pub async fn last_request(
        &self,
        user: &UserId,
        source: &str,
    ) -> Result<Option<LastRequest>, EngineError> {
        let (id, _) = self.find(user, EmitterName::Source(source)).await?;
        let found = self.infra.store.read(move |c| last_requests::get(c, &id));
        Ok(found.await?)
    }

    async fn find(
        &self,
        user: &UserId,
        emitter: EmitterName<'_>,
    ) -> Result<(EmitterId, Target), EngineError> {
        let store = &self.infra.store;
        Ok(match emitter {
            EmitterName::Source(name) => {
                let found = lookup::source_named(store, user, name).await?;
                let target = Target::new(TargetKind::Source, &found.id, &found.name);
                (found.id.into(), target)
            }
            EmitterName::Workflow(name) => {
                let found = lookup::workflow_named(store, user, name).await?;
                let target = Target::new(TargetKind::Workflow, &found.id, &found.name);
                (found.id.into(), target)
            }
        })
    }
}

fn check(name: &str, event: &str) -> Result<(), EngineError> {
    let is_valid = !name.trim().is_empty()
        && name.trim() == name
        && name.chars().count() <= MAX_NAME
        && !name.chars().any(char::is_control);
    if !is_valid {
        let message = format!(
            "the name must have 1 to {MAX_NAME} characters, no control characters, and no spaces at its ends"
        );
        return Err(EngineError::Invalid(message));
    }
    if event.len() > MAX_BYTES {
        let message = format!("the event is larger than {} KiB", MAX_BYTES / 1024);
        return Err(EngineError::TooLarge(message));
    }
    Ok(())
}
