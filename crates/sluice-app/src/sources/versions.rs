//! The versions of a source, and rollback.
//!
//! Creating a source makes version 1. Each change of its code or props makes the next one, and so does a rollback, which takes
//! code and props of an earlier version. Name, state and retention do not belong to a version.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use sluice_engine::{EngineError, secrets::Opened, state::Definition};
use sluice_model::{SourceId, UserId, configure, masked};
use sluice_store::{
    audit::{Action, TargetKind},
    components::{self, Component},
    source_versions::{self, SourceVersion, VersionOrigin, WholeSourceVersion},
    sources::Source,
};

use super::{
    apply::{Changed, Transition},
    changed_fields::changed_props,
    plan,
    service::Sources,
    view::SourceView,
};
use crate::{
    audit::{Actor, Change, Target},
    detached, lookup,
};

/// A version without code and props.
pub struct SourceVersionView {
    pub version: SourceVersion,
    /// Whether the source runs it.
    pub running: bool,
}

/// A version with its code and props.
pub struct WholeSourceVersionView {
    pub outline: SourceVersionView,
    pub component: Component,
    /// Secrets are masked.
    pub configured_props: Map<String, Value>,
}

impl Sources {
    /// All versions that are kept, newest first.
    pub async fn versions(
        &self,
        user: &UserId,
        id_or_slug: &str,
    ) -> Result<Vec<SourceVersionView>, EngineError> {
        let source = lookup::source_named(&self.infra.store, user, id_or_slug).await?;
        let id = source.id.clone();
        let versions = self
            .infra
            .store
            .read(move |c| source_versions::list(c, &id));
        let versions = versions.await?.into_iter();
        Ok(versions.map(|version| outline(version, &source)).collect())
    }

    /// One version, with its code and props.
    pub async fn version(
        &self,
        user: &UserId,
        id_or_slug: &str,
        number: u32,
    ) -> Result<WholeSourceVersionView, EngineError> {
        let source = lookup::source_named(&self.infra.store, user, id_or_slug).await?;
        let (stored, component) = self.stored_version(&source.id, number).await?;
        let shape = component.shape.clone();
        let shape = shape.with_dynamic_props(&stored.dynamic_props);
        Ok(WholeSourceVersionView {
            configured_props: masked(&shape.props, &stored.configured_props),
            outline: outline(stored.version, &source),
            component,
        })
    }

    /// Gives a source the code and props of an earlier version, as a new version.
    pub async fn roll_back(
        &self,
        actor: &Actor,
        id_or_slug: &str,
        number: u32,
    ) -> Result<SourceView, EngineError> {
        let source = lookup::source_named(&self.infra.store, &actor.user_id, id_or_slug).await?;
        let (sources, actor) = (self.clone(), actor.clone());
        detached::run(&self.infra.shutdown, async move {
            sources.restore_version(&actor, &source.id, number).await?;
            sources.get(&actor.user_id, source.id.as_str()).await
        })
        .await
    }

    async fn restore_version(
        &self,
        actor: &Actor,
        id: &SourceId,
        number: u32,
    ) -> Result<(), EngineError> {
        // From here on no other request changes the source.
        let lock = self.lock(id).await?;
        let old = self.definition(&actor.user_id, id).await?;
        if old.source.version == number {
            let message = format!("the source runs version {number} already");
            return Err(EngineError::Conflict(message));
        }
        let (version, component) = self.stored_version(id, number).await?;
        let warnings = component.shape.warnings.clone();
        let restored = self.restored(actor, &old, version, &component).await?;
        let target = Target::new(TargetKind::Source, id, &old.source.name);
        let mut updated = Change::new(&self.infra, actor, Action::SourceRollback, target)
            .with("version", restored.definition.source.version)
            .with("restored", number);
        updated.add_names("props", &restored.changed_props);
        let transition = Transition::of(&old.source, &restored.definition.source, true);
        let changed = Changed {
            old,
            new: restored.definition,
            renamed: false,
            warnings,
            updated,
            version: Some(origin(actor, Some(number))),
        };
        self.apply(lock, transition, changed).await
    }

    /// The source with the code and props of a version. Its accounts must exist.
    async fn restored(
        &self,
        actor: &Actor,
        old: &Definition,
        version: WholeSourceVersion,
        component: &Component,
    ) -> Result<Restored, EngineError> {
        let vault = &self.infra.vault;
        let before = Opened::new(vault, &old.shape.props, &old.source.configured_props);
        let mut source = old.source.clone();
        source.component_id = component.id.clone();
        source.dynamic_props = version.dynamic_props;
        source.version = old.source.version + 1;
        source.updated_at = self.infra.now_ms();
        let mut definition = Definition::new(source, component, Vec::new(), BTreeMap::new())?;
        let props = &definition.shape.props;
        let stored = Opened::new(vault, props, &version.configured_props);
        let checked = configure(props, &stored.values, Some(&stored.values));
        let values = self
            .account_props
            .check(&actor.user_id, props, &stored.values, checked)
            .await?;
        let changed_props = changed_props(&before.values, &values);
        let rng = &mut self.infra.ids.rng();
        definition.source.configured_props = stored.seal_again(vault, rng, props, values)?;
        let id = &definition.source.id;
        definition.endpoints =
            plan::endpoints(id, &definition.shape, &old.endpoints, &self.infra.ids);
        definition.timers = plan::timers(&definition.source, &definition.shape);
        Ok(Restored {
            definition,
            changed_props,
        })
    }

    async fn stored_version(
        &self,
        id: &SourceId,
        number: u32,
    ) -> Result<(WholeSourceVersion, Component), EngineError> {
        let id = id.clone();
        let found = self.infra.store.read(move |c| {
            let Some(version) = source_versions::by_number(c, &id, number)? else {
                return Ok(None);
            };
            let component = components::get_for_run(c, &version.version.component_id)?;
            Ok(component.map(|component| (version, component)))
        });
        found.await?.ok_or(EngineError::NotFound("version"))
    }
}

struct Restored {
    definition: Definition,
    changed_props: Vec<String>,
}

fn outline(version: SourceVersion, source: &Source) -> SourceVersionView {
    SourceVersionView {
        running: version.number == source.version,
        version,
    }
}

/// The author of a version.
pub(super) fn origin(actor: &Actor, restored: Option<u32>) -> VersionOrigin {
    VersionOrigin {
        author: actor.name.clone(),
        credential: actor.credential,
        restored,
    }
}

/// The number of the version that a change makes. None when code and props stay the same.
pub(super) fn next_version(old: &Source, new: &Source, changed_props: &[String]) -> Option<u32> {
    let differs = old.component_id != new.component_id
        || old.dynamic_props != new.dynamic_props
        || !changed_props.is_empty();
    differs.then(|| old.version + 1)
}
