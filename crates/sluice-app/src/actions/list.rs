//! Reading the runs of actions.

use sluice_engine::EngineError;
use sluice_model::{InvocationId, UserId};
use sluice_store::{
    BatchLimit, deployments,
    run_history::{self, Content},
    runs::{self, RunState},
};

use super::{service::Actions, view::ActionRunView};
use crate::listing::Listing;

/// A page of whole runs ends before this, unless it has a single run.
const PAGE_BYTES: u64 = 16 * 1024 * 1024;

/// Which runs to list. At most one of the bounds is present.
pub struct ActionRunPage {
    pub state: Option<RunState>,
    pub limit: u32,
    pub after: Option<InvocationId>,
    pub before: Option<InvocationId>,
}

impl Actions {
    /// One run with its outcome.
    pub async fn get(
        &self,
        user: &UserId,
        run: InvocationId,
    ) -> Result<ActionRunView, EngineError> {
        let missing = || EngineError::NotFound("run");
        let home = self.home_if_any(user).await?.ok_or_else(missing)?;
        let found = self.infra.store.read(move |c| {
            let Some(run) = runs::get(c, &home, &run)? else {
                return Ok(None);
            };
            let version = deployments::get(c, &run.deployment_id)?;
            let definition = version.as_ref().map(|version| &version.definition);
            ActionRunView::new(run, definition).complete(c).map(Some)
        });
        found.await?.ok_or_else(missing)
    }

    /// Runs without their outcomes, newest first.
    pub async fn list(
        &self,
        user: &UserId,
        page: ActionRunPage,
    ) -> Result<Listing<ActionRunView>, EngineError> {
        let Some(home) = self.home_if_any(user).await? else {
            return Ok(Listing {
                total: 0,
                rows: Vec::new(),
            });
        };
        let ActionRunPage {
            state,
            limit,
            after,
            before,
        } = page;
        let selection = run_history::Selection {
            state,
            after,
            before,
            limit: BatchLimit {
                rows: limit,
                bytes: PAGE_BYTES,
            },
            content: Content::Whole,
        };
        let listing = self.infra.store.read(move |c| {
            let total = run_history::count(c, &home, state)?;
            let found = run_history::page(c, &home, &selection)?;
            let versions: Vec<_> = found
                .iter()
                .map(|listed| listed.run.deployment_id.clone())
                .collect();
            let versions = deployments::defined(c, &versions)?;
            let view = |listed: run_history::ListedRun| {
                let version = versions.get(&listed.run.deployment_id);
                ActionRunView::new(listed.run, version.map(|version| &version.definition))
            };
            Ok(Listing {
                total,
                rows: found.into_iter().map(view).collect(),
            })
        });
        Ok(listing.await?)
    }
}
