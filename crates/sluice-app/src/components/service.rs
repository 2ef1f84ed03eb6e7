//! The service for components, and helpers that its parts share.

use std::sync::Arc;

use sluice_engine::{DiskQuotas, EngineError};
use sluice_infra::Infra;
use sluice_model::{ComponentShape, PropDef, PropType};
use sluice_outbox::NetGuard;
use sluice_runtime::{PackageLock, Processes};

use super::{fetch::Fetcher, first_use_locks::FirstUseLocks};

/// Saves, finds, lists and publishes components.
#[derive(Clone)]
pub struct Components {
    pub(super) infra: Infra,
    pub(super) processes: Arc<dyn Processes>,
    pub(super) disk: DiskQuotas,
    pub(super) fetcher: Arc<Fetcher>,
    pub(super) first_uses: Arc<FirstUseLocks>,
}

impl Components {
    pub fn new(
        infra: &Infra,
        processes: &Arc<dyn Processes>,
        disk: DiskQuotas,
    ) -> Result<Components, EngineError> {
        let settings = &infra.settings;
        let guard = NetGuard::new(settings.allow_private_network);
        let fetcher = Fetcher::new(guard, settings.max_api_body)
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        Ok(Components {
            infra: infra.clone(),
            processes: Arc::clone(processes),
            disk,
            fetcher: Arc::new(fetcher),
            first_uses: Arc::default(),
        })
    }
}

/// Locked packages in their stored form.
pub(super) fn stored_lock(lock: Option<&PackageLock>) -> Result<Option<String>, EngineError> {
    lock.map(serde_json::to_string)
        .transpose()
        .map_err(|error| EngineError::Internal(error.to_string()))
}

/// The slugs of the apps in a component's props.
pub(super) fn apps(shape: &ComponentShape) -> impl Iterator<Item = &str> {
    shape.props_of(&PropType::App).filter_map(PropDef::app)
}
