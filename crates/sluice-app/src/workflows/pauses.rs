//! Waiting runs: a request with the key of one resumes or cancels it.

use sluice_engine::{
    EngineError,
    inbox::NewUpload,
    timers::waiting_runs::{continue_run, wake_owner},
};
use sluice_model::{InvocationId, WorkflowId};
use sluice_store::{
    run_waits::{self, RunWait},
    runs,
    uploads::{self, Upload},
};

use super::service::Workflows;
use crate::detached;

/// The request that resumes a run.
pub struct Callback {
    /// JSON with method, path, query, headers and body.
    pub request: String,
    pub uploads: Vec<NewUpload>,
}

/// A resumed run.
pub struct ResumedRun(pub InvocationId);

/// A cancelled run.
pub struct CancelledRun(pub InvocationId);

const NO_SUCH_WAIT: EngineError =
    EngineError::NotFound("a run that waits at this address, which works once and for its time,");

impl Workflows {
    /// The wait under `key`. Reading it changes nothing.
    pub async fn run_wait(&self, key: &str) -> Result<RunWait, EngineError> {
        let key = key.to_owned();
        let wait = self.infra.store.read(move |c| run_waits::by_key(c, &key));
        wait.await?.ok_or(NO_SUCH_WAIT)
    }

    /// Resumes the run that waits under `key`.
    pub async fn resume_run(
        &self,
        key: &str,
        callback: Callback,
    ) -> Result<ResumedRun, EngineError> {
        let (key, now) = (key.to_owned(), self.infra.now_ms());
        let Callback { request, uploads } = callback;
        let payload = format!(r#"{{"cause":"resume","request":{request}}}"#);
        let service = self.clone();
        detached::run(&self.infra.shutdown, async move {
            let resumed = service.infra.store.write(move |c| {
                let Some(run) = runs::by_pause_key(c, &key)? else {
                    return Ok(None);
                };
                if !runs::claim(c, &run.workflow_id, &run.id, &key)? {
                    return Ok(None);
                }
                continue_run(c, (&run.workflow_id, run.id), run.depth, &payload, now)?;
                for upload in uploads {
                    uploads::insert(c, &stored(upload, &run.workflow_id, run.id, now))?;
                }
                Ok(Some((run.workflow_id, run.id)))
            });
            let (workflow, run) = resumed.await?.ok_or(NO_SUCH_WAIT)?;
            wake_owner(&service.owners, &workflow, run);
            Ok(ResumedRun(run))
        })
        .await
    }

    /// Cancels the run that waits under `key`.
    pub async fn cancel_run(&self, key: &str) -> Result<CancelledRun, EngineError> {
        let (key, now) = (key.to_owned(), self.infra.now_ms());
        let cancelled = self.infra.store.write(move |c| {
            let Some(run) = runs::by_pause_key(c, &key)? else {
                return Ok(None);
            };
            if !runs::claim(c, &run.workflow_id, &run.id, &key)? {
                return Ok(None);
            }
            runs::cancel(c, &run, None, now)?;
            Ok(Some(run.id))
        });
        cancelled.await?.map(CancelledRun).ok_or(NO_SUCH_WAIT)
    }
}

fn stored(upload: NewUpload, workflow: &WorkflowId, run: InvocationId, now: i64) -> Upload {
    let NewUpload {
        id,
        filename,
        mimetype,
        content,
    } = upload;
    Upload {
        id,
        emitter_id: workflow.clone().into(),
        invocation_id: run,
        filename,
        mimetype: mimetype.replace('\0', ""),
        content,
        created_at: now,
    }
}
