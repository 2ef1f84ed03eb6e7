//! The first use of an imported component. An import installs nothing: the packages of a component are looked up, and its real
//! shape is read, when somebody first runs it or fills in its form.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use sluice_code::{Language, ParsedModule};
use sluice_model::ComponentId;
use sluice_runtime::{Analysis, Lines, Role};
use sluice_store::components::{self, Component, Packages};
use tokio::sync::Mutex as AsyncMutex;

use super::stored_lock;
use crate::{Engine, error::EngineError};

/// First uses that are under way: those of one component wait for each other, so that its packages are looked up once.
#[derive(Default)]
pub(crate) struct FirstUses(Mutex<HashMap<ComponentId, Weak<AsyncMutex<()>>>>);

impl FirstUses {
    fn of(&self, id: &ComponentId) -> Arc<AsyncMutex<()>> {
        let mut under_way = self.0.lock();
        under_way.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = under_way.get(id).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::default();
        under_way.insert(id.clone(), Arc::downgrade(&turn));
        turn
    }
}

impl Engine {
    /// The component with its packages and its real shape. Everything that runs a component has it from here. When they cannot be
    /// had, it stays as it is, for the next who uses it.
    pub(super) async fn ready(&self, component: Component) -> Result<Component, EngineError> {
        if component.packages != Packages::Unresolved {
            return Ok(component);
        }
        let turn = self.context.first_uses.of(&component.id);
        let _turn = turn.lock().await;
        let found = self.as_stored(&component.id).await?;
        if found.packages != Packages::Unresolved {
            return Ok(found);
        }
        let (code, lines) = match &found.built {
            Some(built) => (built, Lines::Built),
            None => (&found.code, Lines::Written),
        };
        let module = ParsedModule::parse(code.as_str(), Some(Language::JavaScript));
        let module = module.map_err(EngineError::InvalidCode)?;
        let Analysis { shape, packages } = self
            .context
            .runtime
            .analyze(&module, lines, Role::Component)
            .await?;
        let packages = stored_lock(packages.as_ref())?;
        let (id, now) = (found.id.clone(), self.context.infra.clock.now_ms());
        self.context
            .infra
            .store
            .write(move |c| components::resolve(c, &id, packages.as_deref(), &shape, now))
            .await?;
        // As stored, since another node may have been first.
        self.as_stored(&found.id).await
    }

    /// Gone when an import has replaced it meanwhile.
    async fn as_stored(&self, id: &ComponentId) -> Result<Component, EngineError> {
        let id = id.clone();
        self.context
            .infra
            .store
            .read(move |c| components::get_for_run(c, &id))
            .await?
            .ok_or_else(|| {
                EngineError::Conflict(
                    "the component has just been replaced by another: try again".to_owned(),
                )
            })
    }
}
