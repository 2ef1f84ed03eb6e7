//! `PUT /sources/{id}`: `deactivate` with the old code and props, swap, `activate` with the new ones, one commit. The
//! source keeps its id, its endpoints and its `$.service.db`.

use std::collections::BTreeMap;

use sluice_engine::{
    EngineError,
    owner::lifecycle::{Change, Dispatch, LifecycleLock},
    secrets::Opened,
    state::Definition,
};
use sluice_model::{Hook, SourceId, UserId, carried_over, configure};
use sluice_store::{
    audit::{Action, TargetKind},
    endpoints,
    inbox::{self, InboxKind},
    sources::{self, Source},
    timers,
};

use super::{
    changed_fields::{changed_props, describe},
    plan,
    requests::{UpdateSource, must_be_a_source},
    service::Sources,
    view::SourceView,
};
use crate::{
    audit::{self, Actor, Target},
    detached,
    forms::{Asked, Previous, given_for},
    lookup,
    slug::free_slug,
    timer_rows::{Schedule, store_timers},
};

impl Sources {
    pub async fn update(
        &self,
        actor: &Actor,
        id: &SourceId,
        request: UpdateSource,
    ) -> Result<SourceView, EngineError> {
        let (sources, actor, id) = (self.clone(), actor.clone(), id.clone());
        detached::run(&self.infra.shutdown, async move {
            sources.change(&actor, &id, request).await?;
            sources.get(&actor.user_id, id.as_str()).await
        })
        .await
    }

    async fn change(
        &self,
        actor: &Actor,
        id: &SourceId,
        request: UpdateSource,
    ) -> Result<(), EngineError> {
        let (store, user) = (&self.infra.store, &actor.user_id);
        lookup::source(store, user, id).await?;
        let component = match request.component {
            Some(reference) => Some(self.components.resolve(user, reference).await?),
            None => None,
        };
        // From here on no other request changes the source.
        let lock = self.lock(id).await?;
        let old = self.definition(user, id).await?;
        let new_code = component.is_some();
        let component = match component {
            Some(component) => component,
            None => lookup::component_of(store, &old.source).await?,
        };
        must_be_a_source(&component.shape)?;
        let vault = &self.infra.vault;
        let stored = Opened::new(vault, &old.shape.props, &old.source.configured_props);
        let given = request.configured_props.map(|given| stored.unmask(given));
        let rerun = new_code || given.is_some() || request.dynamic_props_id.is_some();
        let mut source = old.source.clone();
        let mut warnings = Vec::new();
        if rerun {
            let draft = Asked {
                user,
                component: &component,
                dynamic: &old.source.dynamic_props,
                given: given.as_ref().unwrap_or(&stored.values),
                previous: Some(Previous {
                    source: id,
                    values: &stored.values,
                }),
            };
            let declared = self
                .forms
                .declared_props(&draft, request.dynamic_props_id)
                .await?;
            source.dynamic_props = declared.props;
            if new_code {
                warnings.clone_from(&component.shape.warnings);
            }
            warnings.extend(declared.warnings);
        }
        let mut new = Definition::new(source, &component, Vec::new(), BTreeMap::new())?;
        let props = &new.shape.props;
        let given = match given {
            Some(given) => given_for(&component, props, given),
            None => carried_over(props, &stored.values),
        };
        let checked = configure(props, &given, Some(&stored.values));
        // A source whose account was deleted can still be renamed and deactivated.
        let values = if rerun {
            self.account_props
                .check(user, props, &given, checked)
                .await?
        } else {
            checked.map_err(EngineError::InvalidProps)?
        };
        let changed_props = changed_props(&stored.values, &values);
        let rng = &mut self.infra.ids.rng();
        new.source.configured_props = stored.seal_again(vault, rng, props, values)?;
        new.source.component_id = component.id;
        new.source.active = request.active;
        new.source.retention = request.retention.unwrap_or(old.source.retention);
        new.source.updated_at = self.infra.now_ms();
        new.endpoints = plan::endpoints(id, &new.shape, &old.endpoints, &self.infra.ids);
        new.timers = plan::timers(&new.source, &new.shape);
        let renamed = request.name.filter(|name| *name != old.source.name);
        if let Some(name) = &renamed {
            new.source.name.clone_from(name);
        }
        let transition = Transition::of(&old.source, &new.source, rerun);
        let changed_retention =
            (new.source.retention != old.source.retention).then(|| new.source.clone());
        let target = Target::new(TargetKind::Source, id, &new.source.name);
        let mut updated = audit::Change::new(&self.infra, actor, Action::SourceUpdate, target);
        describe(&mut updated, &old.source, &new.source, &changed_props);
        let change = Changed {
            old,
            new,
            renamed: renamed.is_some(),
            warnings,
            updated,
        };
        self.apply(lock, transition, change).await?;
        if let Some(source) = changed_retention {
            self.retention.source_changed(&source);
        }
        Ok(())
    }

    async fn definition(&self, user: &UserId, id: &SourceId) -> Result<Definition, EngineError> {
        let (user, wanted) = (user.clone(), id.clone());
        self.infra
            .store
            .read(move |c| match sources::get(c, &user, &wanted)? {
                Some(_) => Definition::load(c, &wanted),
                None => Ok(None),
            })
            .await?
            .ok_or(EngineError::NotFound("source"))
    }

    async fn apply(
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
struct Changed {
    old: Definition,
    new: Definition,
    renamed: bool,
    /// Warnings of the new code.
    warnings: Vec<String>,
    updated: audit::Change,
}

/// The effect of an update on a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transition {
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
    fn of(old: &Source, new: &Source, rerun: bool) -> Transition {
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
    let updated = changed.updated.clone();
    let mut source = new.source.clone();
    Box::new(move |c| {
        updated.record(c)?;
        if renamed {
            source.name_slug = free_slug(c, &source.user_id, &source.name, sources::slug_taken)?;
        }
        sources::update(c, &source)?;
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
