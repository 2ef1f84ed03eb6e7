//! `PUT /sources/{id}`: what becomes of the code, the props and the other fields. The source keeps its id, its endpoints and
//! its `$.service.db`.

use std::collections::BTreeMap;

use sluice_engine::{EngineError, secrets::Opened, state::Definition};
use sluice_model::{SourceId, UserId, carried_over, configure};
use sluice_store::{
    audit::{Action, TargetKind},
    sources,
};

use super::{
    apply::{Changed, Transition},
    changed_fields::{changed_props, describe},
    plan,
    requests::{UpdateSource, must_be_a_source},
    service::Sources,
    versions::{next_version, origin},
    view::SourceView,
};
use crate::{
    audit::{self, Actor, Target},
    detached,
    forms::{Asked, Previous, given_for},
    lookup,
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
        let mut version = None;
        if let Some(number) = next_version(&old.source, &new.source, &changed_props) {
            new.source.version = number;
            updated.add("version", number);
            version = Some(origin(actor, None));
        }
        let change = Changed {
            old,
            new,
            renamed: renamed.is_some(),
            warnings,
            updated,
            version,
        };
        self.apply(lock, transition, change).await?;
        if let Some(source) = changed_retention {
            self.retention.source_changed(&source);
        }
        Ok(())
    }

    pub(super) async fn definition(
        &self,
        user: &UserId,
        id: &SourceId,
    ) -> Result<Definition, EngineError> {
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
}
