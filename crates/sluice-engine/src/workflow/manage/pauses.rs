//! Runs that wait for somebody: whoever has the key of one makes it go on, or ends it.

use sluice_model::{InvocationId, WorkflowId};
use sluice_store::{
    runs,
    uploads::{self, Upload},
};

use crate::{
    Engine, NewUpload,
    error::EngineError,
    workflow::{go_on, tell_owner},
};

/// What made a run go on.
pub struct Callback {
    /// JSON: the request, with its method, path, query, headers and body.
    pub request: String,
    pub uploads: Vec<NewUpload>,
}

/// A run that will go on.
pub struct Resumed(pub InvocationId);

/// A run that was ended.
pub struct Cancelled(pub InvocationId);

const NO_SUCH_WAIT: EngineError =
    EngineError::NotFound("a run that waits at this address, which works once and for its time,");

impl Engine {
    /// Lets the run that waits under `key` go on.
    pub async fn resume_run(&self, key: &str, callback: Callback) -> Result<Resumed, EngineError> {
        let (key, now) = (key.to_owned(), self.context.infra.clock.now_ms());
        let Callback { request, uploads } = callback;
        let payload = format!(r#"{{"cause":"resume","request":{request}}}"#);
        self.to_the_end(|engine| async move {
            let resumed = engine.context.infra.store.write(move |c| {
                let Some(run) = runs::by_pause_key(c, &key)? else {
                    return Ok(None);
                };
                if !runs::claim(c, &run.workflow_id, &run.id, &key)? {
                    return Ok(None);
                }
                go_on(c, (&run.workflow_id, run.id), run.depth, &payload, now)?;
                for upload in uploads {
                    uploads::insert(c, &stored(upload, &run.workflow_id, run.id, now))?;
                }
                Ok(Some((run.workflow_id, run.id)))
            });
            let (workflow, run) = resumed.await?.ok_or(NO_SUCH_WAIT)?;
            tell_owner(&engine.context, &workflow, run);
            Ok(Resumed(run))
        })
        .await
    }

    /// Ends the run that waits under `key`.
    pub async fn cancel_run(&self, key: &str) -> Result<Cancelled, EngineError> {
        let (key, now) = (key.to_owned(), self.context.infra.clock.now_ms());
        let cancelled = self.context.infra.store.write(move |c| {
            let Some(run) = runs::by_pause_key(c, &key)? else {
                return Ok(None);
            };
            if !runs::claim(c, &run.workflow_id, &run.id, &key)? {
                return Ok(None);
            }
            runs::cancel(c, &run, None, now)?;
            Ok(Some(run.id))
        });
        cancelled.await?.map(Cancelled).ok_or(NO_SUCH_WAIT)
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
