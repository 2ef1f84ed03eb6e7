//! Lists of runs: the newest ones, or the matches of a search.

use sluice_engine::EngineError;
use sluice_model::{InvocationId, UserId, WorkflowId};
use sluice_store::{
    BatchLimit, Conn, Store, StoreError,
    run_history::{self, Content},
    runs::RunState,
    search::{self, Budget, Matches, Part, Range, Search},
};

use super::{
    runs::{RunView, Versions, view},
    service::Workflows,
};

/// A page of whole runs ends before this, unless it has a single run.
const PAGE_BYTES: u64 = 16 * 1024 * 1024;

/// Runs of a workflow.
pub struct RunList {
    /// The number of runs in the whole list, or of the matches in this page.
    pub total: u64,
    pub rows: Vec<RunView>,
    /// The run up to which a search has looked. None when there is nothing beyond.
    pub searched_to: Option<InvocationId>,
}

/// Which runs to list. At most one of the bounds is present.
pub struct RunPage {
    pub state: Option<RunState>,
    pub search: Option<Search>,
    /// Of the search.
    pub budget: Budget,
    pub limit: u32,
    pub after: Option<InvocationId>,
    pub before: Option<InvocationId>,
    pub content: Content,
}

impl Workflows {
    /// Started runs and queued replays, newest first.
    pub async fn list_runs(
        &self,
        user: &UserId,
        id_or_slug: &str,
        mut page: RunPage,
    ) -> Result<RunList, EngineError> {
        let workflow = self.row(user, id_or_slug).await?.id;
        let store = &self.infra.store;
        Ok(match page.search.take() {
            None => newest(store, workflow, page).await?,
            Some(search) => find(store, workflow, search, page).await?,
        })
    }
}

async fn newest(store: &Store, workflow: WorkflowId, page: RunPage) -> Result<RunList, StoreError> {
    let RunPage {
        state,
        search: _,
        budget: _,
        limit,
        after,
        before,
        content,
    } = page;
    let selection = run_history::Selection {
        state,
        after,
        before,
        limit: BatchLimit {
            rows: limit,
            bytes: PAGE_BYTES,
        },
        content,
    };
    let read = store.read(move |c| {
        let total = run_history::count(c, &workflow, state)?;
        let found = run_history::page(c, &workflow, &selection)?;
        let mut versions = Versions::default();
        let mut rows = Vec::with_capacity(found.len());
        for run in found {
            rows.push(view(c, run, content, &mut versions)?);
        }
        Ok(RunList {
            total,
            rows,
            searched_to: None,
        })
    });
    read.await
}

async fn find(
    store: &Store,
    workflow: WorkflowId,
    search: Search,
    page: RunPage,
) -> Result<RunList, StoreError> {
    let RunPage {
        state,
        search: _,
        budget,
        limit,
        after,
        before,
        content,
    } = page;
    let range = Range {
        limit,
        after,
        before,
    };
    let searched = workflow.clone();
    let step = move |c: &mut dyn Conn, part: &Part<InvocationId>| {
        search::runs(c, &searched, state, &search, part)
    };
    let found = search::scan(store, range, budget, step).await?;
    let is_from_the_older_end = after.is_none() && before.is_some();
    store
        .read(move |c| matching_rows(c, &workflow, found, is_from_the_older_end, content))
        .await
}

/// The runs of a search. A page of whole runs is cut before it is too large.
fn matching_rows(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    found: Matches<InvocationId, InvocationId>,
    is_from_the_older_end: bool,
    content: Content,
) -> Result<RunList, StoreError> {
    let Matches {
        rows: mut ids,
        mut searched_to,
    } = found;
    if is_from_the_older_end {
        ids.reverse();
    }
    let mut versions = Versions::default();
    let mut rows: Vec<RunView> = Vec::with_capacity(ids.len());
    let mut bytes = 0;
    for id in ids {
        if bytes > PAGE_BYTES {
            searched_to = rows.last().map(|view| view.run.id);
            break;
        }
        if let Some(run) = run_history::listed(c, workflow, &id, content)? {
            let view = view(c, run, content, &mut versions)?;
            bytes += view.bytes();
            rows.push(view);
        }
    }
    if is_from_the_older_end {
        rows.reverse();
    }
    Ok(RunList {
        total: rows.len() as u64,
        rows,
        searched_to,
    })
}

impl RunView {
    /// The length of its large texts, as far as they were read.
    fn bytes(&self) -> u64 {
        let steps = self.steps.iter().map(|step| {
            let record = &step.record;
            let inputs = record.inputs.as_ref().map_or(0, String::len);
            record.exports.len() + record.logs.len() + inputs
        });
        (self.run.event.len() + steps.sum::<usize>()) as u64
    }
}
