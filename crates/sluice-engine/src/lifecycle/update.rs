//! `PUT /sources/{id}`: `deactivate` with the old code and props, swap, `activate` with the new ones, one
//! commit. The source keeps its id, its endpoints and its key-value store.

use std::collections::BTreeMap;

use sluice_model::{Hook, SourceId, UserId, carried_over, configure};
use sluice_store::{
    endpoints,
    inbox::{self, InboxKind},
    sources::{self, Source},
    timers,
};

use super::{
    UpdateSource, free_slug, must_be_a_source,
    plan::{self, Schedule},
};
use crate::{
    Engine,
    error::EngineError,
    questions::{Asked, Previous, given_for},
    retention,
    secrets::Opened,
    source::{Change, Definition, Engagement, Gate},
    view::SourceView,
};

impl Engine {
    pub async fn update_source(
        &self,
        user: &UserId,
        id: &SourceId,
        request: UpdateSource,
    ) -> Result<SourceView, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        self.to_the_end(|engine| async move {
            engine.change(&user, &id, request).await?;
            engine.source(&user, id.as_str()).await
        })
        .await
    }

    async fn change(
        &self,
        user: &UserId,
        id: &SourceId,
        request: UpdateSource,
    ) -> Result<(), EngineError> {
        self.source_row(user, id).await?;
        let component = match request.component {
            Some(reference) => Some(self.resolve(user, reference).await?),
            None => None,
        };
        // From here on nobody else changes the source.
        let engagement = self.engage(id).await?;
        let old = self.definition(user, id).await?;
        let new_code = component.is_some();
        let component = match component {
            Some(component) => component,
            None => self.component_of(&old.source).await?,
        };
        must_be_a_source(&component.shape)?;
        let vault = &self.context.infra.vault;
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
        // A source whose account is gone can still be renamed and put to sleep.
        let values = if rerun {
            self.with_accounts(user, props, &given, checked).await?
        } else {
            checked.map_err(EngineError::InvalidProps)?
        };
        new.source.configured_props = stored.seal_again(vault, props, values)?;
        new.source.component_id = component.id;
        new.source.active = request.active;
        new.source.retention = request.retention.unwrap_or(old.source.retention);
        new.source.updated_at = self.context.infra.clock.now_ms();
        new.endpoints = plan::endpoints(id, &new.shape, &old.endpoints);
        new.timers = plan::timers(&new.source, &new.shape);
        let renamed = request.name.filter(|name| *name != old.source.name);
        if let Some(name) = &renamed {
            new.source.name.clone_from(name);
        }
        let what = Transition::of(&old.source, &new.source, rerun);
        let kept_otherwise =
            (new.source.retention != old.source.retention).then(|| new.source.clone());
        let change = Changed {
            old,
            new,
            renamed: renamed.is_some(),
            warnings,
        };
        self.transform(engagement, what, change).await?;
        if let Some(source) = kept_otherwise {
            retention::changed(&self.context, &source);
        }
        Ok(())
    }

    async fn definition(&self, user: &UserId, id: &SourceId) -> Result<Definition, EngineError> {
        let (user, wanted) = (user.clone(), id.clone());
        self.context
            .infra
            .store
            .read(move |c| match sources::get(c, &user, &wanted)? {
                Some(_) => Definition::load(c, &wanted),
                None => Ok(None),
            })
            .await?
            .ok_or(EngineError::NotFound("source"))
    }

    async fn transform(
        &self,
        engagement: Engagement,
        what: Transition,
        changed: Changed,
    ) -> Result<(), EngineError> {
        let Changed { old, new, .. } = &changed;
        let id = old.source.id.clone();
        if what != Transition::Rename {
            engagement.set_gate(Gate::Shut).await?;
        }
        if what.deactivates() && old.shape.has_hook(Hook::Deactivate) {
            engagement.hook(Hook::Deactivate).await?;
        }
        if what != Transition::Rename {
            engagement.swap(new.clone());
            self.store_new_endpoints(&id, new, old).await?;
            self.endpoints.forget(&id);
        }
        if what.activates() {
            self.endpoints.announce(new, &self.context.infra.settings);
            engagement.set_gate(Gate::Open).await?;
            if new.shape.has_hook(Hook::Activate)
                && let Err(error) = engagement.hook(Hook::Activate).await
            {
                drop(engagement);
                self.restore(old, new, what).await;
                return Err(error);
            }
        }
        let now = self.context.infra.clock.now_ms();
        let change = change(what, &changed, now);
        let concluded = engagement.conclude(Some(changed.new), change).await;
        self.endpoints.forget(&id);
        concluded?;
        self.context.timers_changed(now);
        Ok(())
    }

    /// Endpoints an update adds exist before its hooks run.
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
            .context
            .infra
            .store
            .write(move |c| plan::store_endpoints(c, &id, &added, &[]))
            .await?)
    }

    /// After a failed update the source goes on as it was. Its `deactivate` has run, so whatever it had
    /// set up elsewhere is set up again by its own `activate`.
    async fn restore(&self, old: &Definition, new: &Definition, what: Transition) {
        let id = old.source.id.clone();
        let Ok(engagement) = self.engage(&id).await else {
            return;
        };
        self.endpoints.forget(&id);
        if what.deactivates()
            && old.shape.has_hook(Hook::Activate)
            && let Err(error) = engagement.hook(Hook::Activate).await
        {
            tracing::warn!(source = %id, %error, "the old code of a source could not be activated again after a failed update");
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
        if let Err(error) = engagement.conclude(None, change).await {
            tracing::warn!(source = %id, %error, "what the old code did when it was activated again could not be stored");
        }
    }
}

/// A source before and after an update.
struct Changed {
    old: Definition,
    new: Definition,
    renamed: bool,
    /// What the author of the new code should know.
    warnings: Vec<String>,
}

/// What an update does to a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transition {
    /// Nothing that code would notice.
    Rename,
    /// New code or props in a source that stays active.
    Replace,
    /// New code or props in a source that stays inactive.
    ReplaceAsleep,
    Activate,
    Deactivate,
}

impl Transition {
    fn of(old: &Source, new: &Source, rerun: bool) -> Transition {
        match (old.active, new.active) {
            (true, false) => Transition::Deactivate,
            (false, true) => Transition::Activate,
            (true, true) if rerun => Transition::Replace,
            (false, false) if rerun => Transition::ReplaceAsleep,
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

fn change(what: Transition, changed: &Changed, now: i64) -> Change {
    let Changed { new, renamed, .. } = changed;
    let (wanted, specs, renamed) = (new.endpoints.clone(), new.timers.clone(), *renamed);
    let warnings = changed.warnings.clone();
    let mut source = new.source.clone();
    Box::new(move |c| {
        if renamed {
            source.name_slug = free_slug(c, &source.user_id, &source.name, sources::slug_taken)?;
        }
        sources::update(c, &source)?;
        if what == Transition::Rename {
            return Ok(());
        }
        let id = &source.id;
        plan::store_warnings(c, id, &warnings, now)?;
        let stored = endpoints::of_emitter(c, id)?;
        plan::store_endpoints(c, id, &wanted, &stored)?;
        let before = timers::of_emitter(c, id)?;
        let schedule = match what {
            Transition::Activate => Schedule::Begin,
            Transition::Deactivate | Transition::ReplaceAsleep => Schedule::Stop,
            Transition::Replace | Transition::Rename => Schedule::Keep(&before),
        };
        if what == Transition::Deactivate {
            inbox::remove_kind(c, id, InboxKind::Timer)?;
        }
        plan::store_timers(c, id, &specs, &schedule, now)
    })
}
