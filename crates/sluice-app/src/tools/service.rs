//! The service for tools.

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_store::{
    audit::{Action, TargetKind},
    tools,
};

use crate::{
    accounts::AccountProps,
    actions::Actions,
    audit::{Actor, Change, Target},
    components::Components,
};

/// Enables, lists, runs and disables tools.
#[derive(Clone)]
pub struct Tools {
    pub(super) infra: Infra,
    pub(super) components: Components,
    pub(super) account_props: AccountProps,
    pub(super) actions: Actions,
}

impl Tools {
    pub(crate) fn new(
        infra: &Infra,
        components: Components,
        account_props: AccountProps,
        actions: Actions,
    ) -> Tools {
        Tools {
            infra: infra.clone(),
            components,
            account_props,
            actions,
        }
    }

    /// Disables a tool. Its action and the runs stay.
    pub async fn disable(&self, actor: &Actor, name: String) -> Result<(), EngineError> {
        let change = self.change(actor, Action::ToolDisable, &name);
        let user = actor.user_id.clone();
        let removed = self.infra.store.write(move |c| {
            let removed = tools::remove(c, &user, &name)?;
            if removed {
                change.record(c)?;
            }
            Ok(removed)
        });
        if removed.await? {
            Ok(())
        } else {
            Err(EngineError::NotFound("tool"))
        }
    }

    pub(super) fn change(&self, actor: &Actor, action: Action, name: &str) -> Change {
        let target = Target::new(TargetKind::Tool, name, name);
        Change::new(&self.infra, actor, action, target)
    }
}
