//! Taking events in: from the store into the mailbox, and from the mailbox as many runs as may be under way.

use std::{sync::Arc, time::Duration};

use sluice_model::{
    InvocationId,
    workflow::{PauseKind, RunOrigin, WorkflowSettings},
};
use sluice_store::{
    Conn, StoreError,
    inbox::{self, InboxKind},
    run_steps::{self, StepRecord},
    runs::{self, Run, RunState},
    sends::{self, SendRow},
};
use tokio::time::Instant;

use super::{Actor, stepping::Active};
use crate::{
    mailbox::Work,
    owning::{FIRST_PAUSE, InboxPage},
    quotas::{Exceeded, Standing},
    workflow::{
        batch::{Change, ChangeKind},
        progress::{Continuation, Progress},
        version::Version,
    },
};

/// While it is found out how the user stands with the quota.
const MOMENT: Duration = Duration::from_millis(50);

/// A run that goes on where it stopped, as it is stored; nothing when it is not there any more.
pub(super) struct Loaded {
    id: InvocationId,
    found: Result<Option<Found>, StoreError>,
}

struct Found {
    work: Work,
    run: Option<Run>,
    records: Vec<StepRecord>,
    held: Vec<SendRow>,
    version: Option<Version>,
}

impl Actor {
    pub(super) fn refill(&mut self) {
        if self.refilling.is_some() || !self.is_open() || self.rest_until.is_some() {
            return;
        }
        let Some(refill) = self.handle.mailbox.wants_refill() else {
            return;
        };
        let store = self.context.infra.store.clone();
        let emitter = self.handle.id.clone().into();
        self.refilling = Some(tokio::spawn(InboxPage::read(store, emitter, refill)));
    }

    pub(super) fn refilled(&mut self, page: Option<InboxPage>) {
        if let Some(page) = page {
            page.put_into(&self.handle.mailbox);
        }
    }

    pub(super) fn settings(&self) -> &WorkflowSettings {
        &self.current.definition.settings
    }

    fn has_room(&self) -> bool {
        let under_way = self.runs.len() + self.loading.len();
        under_way < self.settings().concurrency as usize
    }

    /// Whether nothing is under way with this run.
    pub(super) fn is_unknown(&self, id: &InvocationId) -> bool {
        !self.runs.contains_key(id) && !self.continued.contains(id) && !self.awaited.contains(id)
    }

    pub(super) fn take_in(&mut self) {
        // What is begun after a change of the workflow must see it.
        if !self.is_open() || !self.controls.is_empty() {
            return;
        }
        while self.has_room()
            && let Some(id) = self.continued.pop_front()
        {
            self.load(id);
        }
        while self.has_room() && self.may_begin() {
            let Some(work) = self.handle.mailbox.pop_if(|_| true) else {
                break;
            };
            let is_known = work.kind == InboxKind::Continued || self.interrupted.contains(&work.id);
            if is_known {
                if self.is_unknown(&work.id) {
                    self.load(work.id);
                }
            } else {
                self.begin(work);
            }
        }
    }

    /// Whether the throttle and the quota let a run begin.
    fn may_begin(&mut self) -> bool {
        if self.rest_until.is_some() || !self.handle.mailbox.has_queued() {
            return false;
        }
        let now = self.context.infra.clock.now_ms();
        let throttle = self.settings().throttle;
        if let Some(throttle) = throttle
            && let Some(until) = self.window.full_until(throttle, now)
        {
            let wait = u64::try_from(until - now).unwrap_or(0);
            self.rest_until = Some(Instant::now() + Duration::from_millis(wait));
            return false;
        }
        let user = &self.workflow.user_id;
        let rest = match self.context.quotas.standing(user, now) {
            Standing::Within => return true,
            Standing::Unknown => {
                let (context, user) = (Arc::clone(&self.context), user.clone());
                tokio::spawn(async move {
                    let _ = context.quotas.check(&context.infra.store, &user, now).await;
                });
                MOMENT
            }
            Standing::Exceeded(Exceeded { what, retry_after }) => {
                tracing::warn!(workflow = %self.handle.id, "runs wait for the next day: {what} exceeded");
                retry_after
            }
        };
        self.rest_until = Some(Instant::now() + rest);
        false
    }

    fn begin(&mut self, work: Work) {
        let run = self.new_run(&work);
        self.window.begun();
        self.begun += 1;
        self.changes.push(Change {
            run: run.clone(),
            kind: ChangeKind::Begun { resumed: None },
        });
        let active = Active::new(work, Progress::new(run), Arc::clone(&self.current));
        self.runs.insert(active.progress.run.id, active);
    }

    pub(super) fn new_run(&self, work: &Work) -> Run {
        Run {
            id: work.id,
            workflow_id: self.handle.id.clone(),
            deployment_id: self.current.id.clone(),
            state: RunState::Running,
            origin: RunOrigin {
                source_type: work.kind.as_str().to_owned(),
                emitter_id: work
                    .prop
                    .as_deref()
                    .filter(|_| work.kind == InboxKind::Event)
                    .map(str::to_owned),
                replay_of: None,
            },
            depth: work.depth,
            accepted_at: work.accepted_at,
            started_at: self.context.infra.clock.now_ms(),
            finished_at: None,
            due_at: None,
            pause: None,
            pause_key: None,
            error: None,
            exit_reason: None,
            event: work.event.to_string(),
        }
    }

    /// Reads what is stored of a run that is to go on.
    fn load(&mut self, id: InvocationId) {
        let store = self.context.infra.store.clone();
        let workflow = self.handle.id.clone();
        let current = self.current.id.clone();
        let known: Vec<_> = self.hosts.keys().cloned().collect();
        self.awaited.insert(id);
        self.loading.spawn(async move {
            let read = store.read(move |c: &mut dyn Conn| {
                let Some(item) = inbox::get(c, &workflow, &id)? else {
                    return Ok(None);
                };
                let run = runs::get(c, &workflow, &id)?;
                let version = match &run {
                    Some(run)
                        if run.deployment_id != current && !known.contains(&run.deployment_id) =>
                    {
                        Version::load(c, &workflow, &run.deployment_id)?
                    }
                    _ => None,
                };
                Ok(Some(Found {
                    work: Work::from(item),
                    run,
                    records: run_steps::of_run(c, &workflow, &id)?,
                    held: sends::held(c, &workflow, &id)?,
                    version,
                }))
            });
            let found = read.await;
            if let Err(error) = &found {
                tracing::warn!(%error, "a run could not be read; trying again");
                tokio::time::sleep(FIRST_PAUSE).await;
            }
            Loaded { id, found }
        });
    }

    pub(super) fn loaded(&mut self, loaded: Option<Loaded>) {
        let Some(Loaded { id, found }) = loaded else {
            return;
        };
        self.awaited.remove(&id);
        match found {
            Err(_) => self.continued.push_back(id),
            // It goes on already.
            Ok(Some(_)) if self.runs.contains_key(&id) => {}
            // It was cancelled or removed meanwhile.
            Ok(None) => self.handle.mailbox.done(&id),
            Ok(Some(found)) => self.go_on(id, found),
        }
    }

    fn go_on(&mut self, id: InvocationId, found: Found) {
        let Found {
            work,
            run,
            records,
            held,
            version,
        } = found;
        let is_continued = work.kind == InboxKind::Continued;
        let Some(mut run) = run else {
            if is_continued {
                let run = self.new_run(&work);
                self.changes.push(Change {
                    run,
                    kind: ChangeKind::Forgotten,
                });
            } else {
                self.begin(work);
            }
            return;
        };
        if run.state == RunState::Queued {
            run.started_at = self.context.infra.clock.now_ms();
            run.deployment_id = self.current.id.clone();
            self.window.begun();
            self.begun += 1;
        }
        let version = version
            .map(Arc::new)
            .or_else(|| self.version_of(&run))
            .unwrap_or_else(|| Arc::clone(&self.current));
        let continuation = is_continued
            .then(|| serde_json::from_str::<Continuation>(&work.event).ok())
            .flatten();
        run.state = RunState::Running;
        run.due_at = None;
        run.pause_key = None;
        // A step that asked to be run again is given the same once more when a crash interrupts it.
        let rerun = run
            .pause
            .clone()
            .filter(|pause| pause.kind == PauseKind::Rerun);
        let (progress, resumed) = Progress::restored(run, records, held, continuation);
        let mut row = progress.run.clone();
        row.pause = rerun;
        self.changes.push(Change {
            run: row,
            kind: ChangeKind::Begun { resumed },
        });
        self.runs.insert(id, Active::new(work, progress, version));
    }

    fn version_of(&self, run: &Run) -> Option<Arc<Version>> {
        if run.deployment_id == self.current.id {
            return Some(Arc::clone(&self.current));
        }
        let host = self.hosts.get(&run.deployment_id)?;
        Some(Arc::clone(&host.version))
    }
}
