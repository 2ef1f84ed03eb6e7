//! The whole server, as its operator sees it.

use sluice_model::EmitterId;
use sluice_runtime::{ProcessOwner, RunningProcess};
use sluice_store::{Dialect, emitters};

use crate::{Engine, error::EngineError, settings::ToldSetting, vitals::Vitals};

pub struct ServerView {
    pub started_at: i64,
    pub public_url: String,
    pub database: Dialect,
    pub vitals: Vitals,
    /// The largest first.
    pub processes: Vec<ProcessView>,
    pub settings: Vec<ToldSetting>,
}

/// The process of a source or a workflow.
pub struct ProcessView {
    pub emitter_id: EmitterId,
    pub name: String,
    /// Whose it is.
    pub username: String,
    pub memory_bytes: u64,
    pub started_at: i64,
}

impl Engine {
    pub async fn server(&self) -> Result<ServerView, EngineError> {
        let context = &self.context;
        let vitals = self.vitals().await?;
        let running = context.runtime.processes();
        let owners: Vec<EmitterId> = running.iter().filter_map(emitter).collect();
        let read = context
            .store
            .read(move |c| Ok((c.dialect(), emitters::names(c, &owners)?)));
        let (database, names) = read.await?;
        let view = |process: &RunningProcess| {
            let emitter_id = emitter(process)?;
            // One whose owner has just been deleted is about to end.
            let found = names.get(&emitter_id)?;
            Some(ProcessView {
                name: found.name.clone(),
                username: found.username.clone(),
                emitter_id,
                memory_bytes: process.memory_bytes,
                started_at: process.started_at,
            })
        };
        let mut processes: Vec<ProcessView> = running.iter().filter_map(view).collect();
        processes.sort_by_key(|process| std::cmp::Reverse(process.memory_bytes));
        Ok(ServerView {
            started_at: context.started_at,
            public_url: context.settings.public_url.clone(),
            database,
            vitals,
            processes,
            settings: context.settings.told.to_vec(),
        })
    }
}

fn emitter(process: &RunningProcess) -> Option<EmitterId> {
    match &process.owner {
        ProcessOwner::Nobody => None,
        ProcessOwner::Source(id) => Some(id.clone().into()),
        ProcessOwner::Workflow(id) => Some(id.clone().into()),
    }
}
