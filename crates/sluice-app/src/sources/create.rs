//! `POST /sources`. The source exists before its hooks run, so that its endpoints answer while they do. It becomes visible
//! in the commit of their effects.

use std::{collections::BTreeMap, sync::Arc};

use sluice_engine::{EngineError, secrets, state::Definition};
use sluice_infra::Ids;
use sluice_model::{ComponentShape, Hook, SourceId, configure, merged, slugify};
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    components::Component,
    source_versions::{self, VersionOrigin},
    sources::{self, Phase, Source},
    state, users,
};

use super::{
    plan,
    requests::{CreateSource, must_be_a_source},
    service::Sources,
    versions::origin,
    view::SourceView,
};
use crate::{
    audit::{Actor, Change, Target},
    detached,
    forms::{Asked, given_for},
    slug::free_slug,
    subscriptions::subscribe_created,
    timer_rows::{Schedule, store_timers},
};

impl Sources {
    pub async fn create(
        &self,
        actor: &Actor,
        request: CreateSource,
    ) -> Result<SourceView, EngineError> {
        let (sources, actor) = (self.clone(), actor.clone());
        detached::run(&self.infra.shutdown, async move {
            let id = sources.deploy(&actor, request).await?;
            sources.get(&actor.user_id, id.as_str()).await
        })
        .await
    }

    async fn deploy(&self, actor: &Actor, request: CreateSource) -> Result<SourceId, EngineError> {
        let user = &actor.user_id;
        let CreateSource {
            component,
            name,
            configured_props: given,
            dynamic_props_id,
            retention,
        } = request;
        let component = self.components.resolve(user, component).await?;
        must_be_a_source(&component.shape)?;
        let draft = Asked {
            user,
            component: &component,
            dynamic: &[],
            given: &given,
            previous: None,
        };
        let declared = self.forms.declared_props(&draft, dynamic_props_id).await?;
        let props = merged(&component.shape.props, &declared.props);
        let given = given_for(&component, &props, given);
        let checked = configure(&props, &given, None);
        let configured_props = self
            .account_props
            .check(user, &props, &given, checked)
            .await?;
        let configured_props = secrets::seal(
            &self.infra.vault,
            &mut self.infra.ids.rng(),
            &props,
            configured_props,
        );
        let warnings = [component.shape.warnings.clone(), declared.warnings].concat();
        let now = self.infra.creation_ms();
        let has_hooks = wants_hooks(&component.shape);
        let source = Source {
            id: SourceId::random(&mut self.infra.ids.rng()),
            user_id: user.clone(),
            component_id: component.id.clone(),
            name: name.unwrap_or_else(|| slugify(&component.name)),
            name_slug: String::new(),
            phase: if has_hooks {
                Phase::Creating
            } else {
                Phase::Live
            },
            active: true,
            configured_props,
            dynamic_props: declared.props,
            retention,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let id = source.id.clone();
        let target = Target::new(TargetKind::Source, &id, &source.name);
        let created = Change::new(&self.infra, actor, Action::SourceCreate, target);
        // A source with hooks becomes visible with their effects.
        let (at_once, later) = if has_hooks {
            (None, Some(created))
        } else {
            (Some(created), None)
        };
        let version = origin(actor, None);
        let definition = self
            .insert((source, version), &component, warnings, at_once, now)
            .await?;
        if let Some(created) = later {
            if let Err(error) = self.run_first_hooks(&definition, created).await {
                self.undo(&id).await;
                return Err(error);
            }
        } else if !definition.timers.is_empty() {
            self.timers.arm(now);
        }
        Ok(id)
    }

    async fn insert(
        &self,
        (source, version): (Source, VersionOrigin),
        component: &Component,
        warnings: Vec<String>,
        created: Option<Change>,
        now: i64,
    ) -> Result<Arc<Definition>, EngineError> {
        let mut definition = Definition::new(source, component, Vec::new(), BTreeMap::new())?;
        definition.endpoints = plan::endpoints(
            &definition.source.id,
            &definition.shape,
            &[],
            &self.infra.ids,
        );
        definition.timers = plan::timers(&definition.source, &definition.shape);
        // Concurrent requests may choose the same slug. The loser retries.
        for _ in 0..8 {
            let (attempt, warnings) = (definition.clone(), warnings.clone());
            let (created, version) = (created.clone(), version.clone());
            let ids = self.infra.ids.clone();
            let node = Arc::clone(self.infra.store.incarnation());
            let stored = self
                .infra
                .store
                .write(move |c| {
                    let source = attempt.source.clone();
                    let name_slug = store(c, attempt, &warnings, (&ids, &node), now)?;
                    source_versions::insert(c, &source, &version, now)?;
                    created.map_or(Ok(()), |created| created.record(c))?;
                    Ok(name_slug)
                })
                .await;
            match stored {
                Ok(name_slug) => {
                    definition.source.name_slug = name_slug;
                    return Ok(Arc::new(definition));
                }
                Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(EngineError::Conflict(
            "the source's name is being taken by others".to_owned(),
        ))
    }

    async fn run_first_hooks(
        &self,
        definition: &Definition,
        created: Change,
    ) -> Result<(), EngineError> {
        let id = definition.source.id.clone();
        let lock = self.lock(&id).await?;
        for hook in [Hook::Deploy, Hook::Activate] {
            if definition.shape.has_hook(hook) {
                lock.run_hook(hook).await?;
            }
        }
        let now = self.infra.now_ms();
        let timers = definition.timers.clone();
        let change = Box::new(move |c: &mut dyn Conn| {
            sources::set_live(c, &id)?;
            store_timers(c, &id, &timers, &Schedule::Begin, now)?;
            created.record(c)
        });
        // The owner read the source before its timers were stored.
        let mut live = definition.clone();
        live.source.phase = Phase::Live;
        lock.commit(Some(live), change).await?;
        self.timers.arm(now);
        Ok(())
    }

    /// Removes a source whose hooks failed, with the requests that its endpoint accepted in the meantime.
    async fn undo(&self, id: &SourceId) {
        self.endpoints.changed(id);
        let undone = async {
            let lock = self.lock(id).await?;
            lock.stop_dispatch().await?;
            self.remove(id, None).await?;
            lock.stop_owner();
            Ok::<_, EngineError>(())
        };
        if let Err(error) = undone.await {
            tracing::warn!(source = %id, %error, "cannot remove source after failed hooks; retrying at next start");
        }
    }
}

fn wants_hooks(shape: &ComponentShape) -> bool {
    shape.has_hook(Hook::Deploy) || shape.has_hook(Hook::Activate)
}

fn store(
    c: &mut dyn Conn,
    definition: Definition,
    warnings: &[String],
    (ids, node): (&Ids, &Arc<str>),
    now: i64,
) -> Result<String, StoreError> {
    let Definition {
        mut source,
        endpoints,
        timers,
        ..
    } = definition;
    users::hold(c, &source.user_id)?;
    source.name_slug = free_slug(c, &source.user_id, &source.name, sources::slug_taken)?;
    sources::insert(c, &source)?;
    plan::store_endpoints(c, &source.id, &endpoints, &[])?;
    plan::store_warnings(c, &source.id, warnings, now)?;
    subscribe_created(c, &source.user_id, &source.id, ids, now)?;
    if source.phase == Phase::Creating {
        // Others must not take it for one that a crash left behind.
        state::claim(c, &source.id, node, false)?;
    }
    if source.phase == Phase::Live {
        store_timers(c, &source.id, &timers, &Schedule::Begin, now)?;
    }
    Ok(source.name_slug)
}
