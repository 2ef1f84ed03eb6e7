//! Applying a change of a source: `deactivate` with the old code and props, swap, `activate` with the new ones, one commit.

use sluice_engine::{
    EngineError,
    owner::lifecycle::{Change, Dispatch, LifecycleLock},
    state::Definition,
};
use sluice_model::{Hook, SourceId};
use sluice_store::{
    endpoints,
    inbox::{self, InboxKind},
    source_versions::{self, VersionOrigin},
    sources::{self, Source},
    timers,
};

use super::{plan, service::Sources};
use crate::{
    audit,
    slug::free_slug,
    timer_rows::{Schedule, store_timers},
};

impl Sources {
    pub(super) async fn apply(
        &self,
        lock: LifecycleLock,
        transition: Transition,
        changed: Changed,
    ) -> Result<(), EngineError> {
        let Changed { old, new, .. } = &changed;
        let id = old.source.id.clone();
        match transition {
            Transition::Rename => {}
            Transition::Deactivate => lock.stop_dispatch().await?,
            Transition::Replace | Transition::ReplaceInactive | Transition::Activate => {
                lock.set_dispatch(Dispatch::Paused).await?;
            }
        }
        if transition.deactivates() && old.shape.has_hook(Hook::Deactivate) {
            lock.run_hook(Hook::Deactivate).await?;
        }
        if transition != Transition::Rename {
            lock.swap(new.clone());
            self.store_new_endpoints(&id, new, old).await?;
            self.endpoints.changed(&id);
        }
        if transition.activates() {
            self.endpoints.announce(new);
            lock.set_dispatch(Dispatch::Running).await?;
            if new.shape.has_hook(Hook::Activate)
                && let Err(error) = lock.run_hook(Hook::Activate).await
            {
                drop(lock);
                self.restore(old, new, transition).await;
                return Err(error);
            }
        }
        let now = self.infra.now_ms();
        let change = change(transition, &changed, now);
        let committed = lock.commit(Some(changed.new), change).await;
        self.endpoints.changed(&id);
        committed?;
        self.timers.arm(now);
        Ok(())
    }

    /// New endpoints exist before the hooks run.
    async fn store_new_endpoints(
        &self,
        id: &SourceId,
        new: &Definition,
        old: &Definition,
    ) -> Result<(), EngineError> {
        let added: Vec<_> = new
            .endpoints
            .iter()
            .filter(|endpoint| old.endpoints.iter().all(|known| known.key != endpoint.key))
            .cloned()
            .collect();
        if added.is_empty() {
            return Ok(());
        }
        let id = id.clone();
        Ok(self
            .infra
            .store
            .write(move |c| plan::store_endpoints(c, &id, &added, &[]))
            .await?)
    }

    /// After a failed update the source runs its old definition. Its `deactivate` has run, so its own `activate` sets up
    /// again what that removed elsewhere.
    async fn restore(&self, old: &Definition, new: &Definition, transition: Transition) {
        let id = old.source.id.clone();
        let Ok(lock) = self.lock(&id).await else {
            return;
        };
        self.endpoints.changed(&id);
        if transition.deactivates()
            && old.shape.has_hook(Hook::Activate)
            && let Err(error) = lock.run_hook(Hook::Activate).await
        {
            tracing::warn!(source = %id, %error, "cannot reactivate old code after failed update");
            return;
        }
        let added: Vec<_> = new
            .endpoints
            .iter()
            .filter(|endpoint| !old.endpoints.contains(endpoint))
            .cloned()
            .collect();
        let change: Change = Box::new(move |c| {
            added
                .iter()
                .try_for_each(|endpoint| endpoints::remove(c, &endpoint.emitter_id, &endpoint.prop))
        });
        if let Err(error) = lock.commit(None, change).await {
            tracing::warn!(source = %id, %error, "cannot store effects of reactivating old code");
        }
    }
}

/// A source before and after an update.
pub(super) struct Changed {
    pub(super) old: Definition,
    pub(super) new: Definition,
    pub(super) renamed: bool,
    /// Warnings of the new code.
    pub(super) warnings: Vec<String>,
    pub(super) updated: audit::Change,
    /// Present when the change makes a version.
    pub(super) version: Option<VersionOrigin>,
}

/// The effect of an update on a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transition {
    /// Nothing that concerns the code.
    Rename,
    /// New code or props in a source that stays active.
    Replace,
    /// New code or props in a source that stays inactive.
    ReplaceInactive,
    Activate,
    Deactivate,
}

impl Transition {
    pub(super) fn of(old: &Source, new: &Source, rerun: bool) -> Transition {
        match (old.active, new.active) {
            (true, false) => Transition::Deactivate,
            (false, true) => Transition::Activate,
            (true, true) if rerun => Transition::Replace,
            (false, false) if rerun => Transition::ReplaceInactive,
            _ => Transition::Rename,
        }
    }

    fn deactivates(self) -> bool {
        matches!(self, Transition::Replace | Transition::Deactivate)
    }

    fn activates(self) -> bool {
        matches!(self, Transition::Replace | Transition::Activate)
    }
}

fn change(transition: Transition, changed: &Changed, now: i64) -> Change {
    let Changed { new, renamed, .. } = changed;
    let (wanted, specs, renamed) = (new.endpoints.clone(), new.timers.clone(), *renamed);
    let warnings = changed.warnings.clone();
    let (updated, version) = (changed.updated.clone(), changed.version.clone());
    let mut source = new.source.clone();
    Box::new(move |c| {
        updated.record(c)?;
        if renamed {
            source.name_slug = free_slug(c, &source.user_id, &source.name, sources::slug_taken)?;
        }
        sources::update(c, &source)?;
        if let Some(version) = version {
            source_versions::insert(c, &source, &version, now)?;
        }
        if transition == Transition::Rename {
            return Ok(());
        }
        let id = &source.id;
        plan::store_warnings(c, id, &warnings, now)?;
        let stored = endpoints::of_emitter(c, id)?;
        plan::store_endpoints(c, id, &wanted, &stored)?;
        let before = timers::of_emitter(c, id)?;
        let schedule = match transition {
            Transition::Activate => Schedule::Begin,
            Transition::Deactivate | Transition::ReplaceInactive => Schedule::Stop,
            Transition::Replace | Transition::Rename => Schedule::Keep(&before),
        };
        if transition == Transition::Deactivate {
            inbox::remove_kind(c, id, InboxKind::Timer)?;
        }
        store_timers(c, id, &specs, &schedule, now)
    })
}
