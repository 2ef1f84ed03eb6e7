//! Reading the runs of actions.

use sluice_engine::EngineError;
use sluice_model::{InvocationId, UserId, WorkflowId};
use sluice_store::{
    BatchLimit, Conn, Store, StoreError, deployments,
    run_history::{self, Content, ListedRun},
    runs::{self, RunState},
    search::{self, Budget, Matches, Part, Range, Search},
};

use super::{service::Actions, view::ActionRunView};

/// A page of whole runs ends before this, unless it has a single run.
const PAGE_BYTES: u64 = 16 * 1024 * 1024;

/// Which runs to list. At most one of the bounds is present.
pub struct ActionRunPage {
    pub state: Option<RunState>,
    pub search: Option<Search>,
    /// Of the search.
    pub budget: Budget,
    pub limit: u32,
    pub after: Option<InvocationId>,
    pub before: Option<InvocationId>,
}

/// Runs of actions.
#[derive(Default)]
pub struct ActionRunList {
    /// The number of runs in the whole list, or of the matches in this page.
    pub total: u64,
    pub rows: Vec<ActionRunView>,
    /// The run up to which a search has looked. None when there is nothing beyond.
    pub searched_to: Option<InvocationId>,
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
        mut page: ActionRunPage,
    ) -> Result<ActionRunList, EngineError> {
        let Some(home) = self.home_if_any(user).await? else {
            return Ok(ActionRunList::default());
        };
        let store = &self.infra.store;
        Ok(match page.search.take() {
            None => newest(store, home, page).await?,
            Some(search) => find(store, home, search, page).await?,
        })
    }
}

async fn newest(
    store: &Store,
    home: WorkflowId,
    page: ActionRunPage,
) -> Result<ActionRunList, StoreError> {
    let state = page.state;
    let selection = run_history::Selection {
        state,
        after: page.after,
        before: page.before,
        limit: BatchLimit {
            rows: page.limit,
            bytes: PAGE_BYTES,
        },
        content: Content::Whole,
    };
    let read = store.read(move |c| {
        let found = run_history::page(c, &home, &selection)?;
        Ok(ActionRunList {
            total: run_history::count(c, &home, state)?,
            rows: views(c, found)?,
            searched_to: None,
        })
    });
    read.await
}

async fn find(
    store: &Store,
    home: WorkflowId,
    search: Search,
    page: ActionRunPage,
) -> Result<ActionRunList, StoreError> {
    let range = Range {
        limit: page.limit,
        after: page.after,
        before: page.before,
    };
    let (searched, state) = (home.clone(), page.state);
    let step = move |c: &mut dyn Conn, part: &Part<InvocationId>| {
        search::runs(c, &searched, state, &search, part)
    };
    let Matches { rows, searched_to } = search::scan(store, range, page.budget, step).await?;
    let read = store.read(move |c| {
        // Their events are small: they name the action.
        let mut found = Vec::with_capacity(rows.len());
        for id in rows {
            found.extend(run_history::listed(c, &home, &id, Content::Whole)?);
        }
        Ok(ActionRunList {
            total: found.len() as u64,
            rows: views(c, found)?,
            searched_to,
        })
    });
    read.await
}

fn views(c: &mut dyn Conn, found: Vec<ListedRun>) -> Result<Vec<ActionRunView>, StoreError> {
    let versions: Vec<_> = found
        .iter()
        .map(|listed| listed.run.deployment_id.clone())
        .collect();
    let versions = deployments::defined(c, &versions)?;
    let view = |listed: ListedRun| {
        let version = versions.get(&listed.run.deployment_id);
        ActionRunView::new(listed.run, version.map(|version| &version.definition))
    };
    Ok(found.into_iter().map(view).collect())
}
