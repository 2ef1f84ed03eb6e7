//! The service for actions that run by themselves.

use sluice_engine::{Engine, accept::StoredRuns, owner::Owners};
use sluice_infra::Infra;

use crate::{accounts::AccountProps, components::Components, forms::Forms};

/// Runs and replays single actions, and reads their runs.
#[derive(Clone)]
pub struct Actions {
    pub(super) infra: Infra,
    pub(super) owners: Owners,
    pub(super) stored_runs: StoredRuns,
    pub(super) components: Components,
    pub(super) forms: Forms,
    pub(super) account_props: AccountProps,
}

impl Actions {
    pub(crate) fn new(
        infra: &Infra,
        engine: &Engine,
        components: Components,
        forms: Forms,
        account_props: AccountProps,
    ) -> Actions {
        Actions {
            infra: infra.clone(),
            owners: engine.owners.clone(),
            stored_runs: engine.stored_runs.clone(),
            components,
            forms,
            account_props,
        }
    }
}
