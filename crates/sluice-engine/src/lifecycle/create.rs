//! `POST /sources`: the source exists, though unseen, before its hooks run, so that its endpoints answer
//! while they do; it becomes visible in the commit of what they did.

use std::{collections::BTreeMap, sync::Arc};

use sluice_model::{ComponentShape, Hook, SourceId, UserId, configure, merged, slugify};
use sluice_store::{
    Conn, StoreError,
    components::Component,
    sources::{self, Phase, Source},
    users,
};

use super::{CreateSource, free_slug, must_be_a_source, plan};
use crate::{
    Engine,
    error::EngineError,
    questions::{Asked, given_for},
    secrets,
    source::{Definition, Gate},
    subscriptions::subscribe_created,
    view::SourceView,
};

impl Engine {
    pub async fn create_source(
        &self,
        user: &UserId,
        request: CreateSource,
    ) -> Result<SourceView, EngineError> {
        let user = user.clone();
        self.to_the_end(|engine| async move {
            let id = engine.deploy(&user, request).await?;
            engine.source(&user, id.as_str()).await
        })
        .await
    }

    async fn deploy(&self, user: &UserId, request: CreateSource) -> Result<SourceId, EngineError> {
        let CreateSource {
            component,
            name,
            configured_props: given,
            dynamic_props_id,
            retention,
        } = request;
        let component = self.resolve(user, component).await?;
        must_be_a_source(&component.shape)?;
        let draft = Asked {
            user,
            component: &component,
            dynamic: &[],
            given: &given,
            previous: None,
        };
        let declared = self.declared_props(&draft, dynamic_props_id).await?;
        let props = merged(&component.shape.props, &declared.props);
        let given = given_for(&component, &props, given);
        let checked = configure(&props, &given, None);
        let configured_props = self.with_accounts(user, &props, &given, checked).await?;
        let configured_props = secrets::seal(&self.context.infra.vault, &props, configured_props);
        let warnings = [component.shape.warnings.clone(), declared.warnings].concat();
        let now = self.context.infra.clock.now_ms();
        let has_hooks = wants_hooks(&component.shape);
        let source = Source {
            id: SourceId::random(&mut rand::rng()),
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
            created_at: now,
            updated_at: now,
        };
        let id = source.id.clone();
        let definition = self.insert(source, &component, warnings, now).await?;
        if has_hooks {
            if let Err(error) = self.run_first_hooks(&definition).await {
                self.undo(&id).await;
                return Err(error);
            }
        } else if !definition.timers.is_empty() {
            self.context.timers_changed(now);
        }
        Ok(id)
    }

    async fn insert(
        &self,
        source: Source,
        component: &Component,
        warnings: Vec<String>,
        now: i64,
    ) -> Result<Arc<Definition>, EngineError> {
        let mut definition = Definition::new(source, component, Vec::new(), BTreeMap::new())?;
        definition.endpoints = plan::endpoints(&definition.source.id, &definition.shape, &[]);
        definition.timers = plan::timers(&definition.source, &definition.shape);
        // Two requests may choose the same slug at once; the loser chooses again.
        for _ in 0..8 {
            let (attempt, warnings) = (definition.clone(), warnings.clone());
            let stored = self
                .context
                .infra
                .store
                .write(move |c| store(c, attempt, &warnings, now))
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

    async fn run_first_hooks(&self, definition: &Definition) -> Result<(), EngineError> {
        let id = definition.source.id.clone();
        let engagement = self.engage(&id).await?;
        for hook in [Hook::Deploy, Hook::Activate] {
            if definition.shape.has_hook(hook) {
                engagement.hook(hook).await?;
            }
        }
        let now = self.context.infra.clock.now_ms();
        let timers = definition.timers.clone();
        engagement
            .conclude(
                None,
                Box::new(move |c| {
                    sources::set_live(c, &id)?;
                    plan::store_timers(c, &id, &timers, &plan::Schedule::Begin, now)
                }),
            )
            .await?;
        self.context.timers_changed(now);
        Ok(())
    }

    /// Removes a source whose hooks failed; what its endpoint accepted meanwhile goes with it.
    async fn undo(&self, id: &SourceId) {
        self.endpoints.forget(id);
        let undone = async {
            let engagement = self.engage(id).await?;
            engagement.set_gate(Gate::Shut).await?;
            self.remove(id).await?;
            engagement.leave();
            Ok::<_, EngineError>(())
        };
        if let Err(error) = undone.await {
            tracing::warn!(source = %id, %error, "a source that failed to deploy is removed at the next start");
        }
    }

    pub(super) async fn remove(&self, id: &SourceId) -> Result<(), EngineError> {
        let gone = id.clone();
        self.context
            .infra
            .store
            .write(move |c| sources::remove(c, &gone))
            .await?;
        self.endpoints.forget(id);
        self.context.streams.close(id);
        Ok(())
    }
}

fn wants_hooks(shape: &ComponentShape) -> bool {
    shape.has_hook(Hook::Deploy) || shape.has_hook(Hook::Activate)
}

fn store(
    c: &mut dyn Conn,
    definition: Definition,
    warnings: &[String],
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
    subscribe_created(c, &source.user_id, &source.id, now)?;
    if source.phase == Phase::Live {
        plan::store_timers(c, &source.id, &timers, &plan::Schedule::Begin, now)?;
    }
    Ok(source.name_slug)
}
