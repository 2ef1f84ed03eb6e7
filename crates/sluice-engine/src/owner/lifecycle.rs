//! Lifecycle operations on a source: create, update, delete. An operation holds the source's lock, decides whether queued
//! work is dispatched, runs hooks, and ends in one commit or in nothing. A dropped lock discards the operation.

use std::time::Duration;

use sluice_model::Hook;
use sluice_store::{Conn, StoreError};
use tokio::sync::{OwnedMutexGuard, mpsc, oneshot};

use crate::{error::EngineError, state::Definition};

/// How long an operation waits for the owner, which cannot start while the store takes no writes.
const START_PATIENCE: Duration = Duration::from_secs(5);

/// How long an operation that ends the work of a source waits for running invocations.
const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// Store changes of an operation, written in the same transaction as the effects of its hooks.
pub type Change = Box<dyn FnOnce(&mut dyn Conn) -> Result<(), StoreError> + Send>;

/// Whether queued work is dispatched during the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    Running,
    Paused,
}

/// A hook that threw, with its log lines and its error as observations.
#[derive(Debug)]
pub struct HookError {
    pub observations: Vec<serde_json::Value>,
}

impl From<HookError> for EngineError {
    fn from(HookError { observations }: HookError) -> EngineError {
        EngineError::HookFailed { observations }
    }
}

/// Messages to the owner of a source.
pub enum SourceControl {
    Begin(oneshot::Sender<()>),
    /// Answered when the state is reached: after `Paused`, nothing runs and everything is committed.
    SetDispatch(Dispatch, oneshot::Sender<()>),
    /// Ends the process. Running invocations go back to the inbox.
    Interrupt,
    RunHook(Hook, oneshot::Sender<Result<(), HookError>>),
    Swap(Box<Definition>),
    Commit(
        Option<Box<Definition>>,
        Change,
        oneshot::Sender<Result<(), EngineError>>,
    ),
    Discard,
    Stop,
    Evict,
    /// Finish what runs and give the source up.
    HandOver,
}

/// The exclusive right to change a source.
pub struct LifecycleLock {
    controls: mpsc::UnboundedSender<SourceControl>,
    finished: bool,
    _guard: OwnedMutexGuard<()>,
}

impl LifecycleLock {
    /// `None` when the owner has just stopped.
    pub(super) async fn acquire(
        controls: mpsc::UnboundedSender<SourceControl>,
        guard: OwnedMutexGuard<()>,
    ) -> Result<Option<LifecycleLock>, EngineError> {
        let (reply, begun) = oneshot::channel();
        if controls.send(SourceControl::Begin(reply)).is_err() {
            return Ok(None);
        }
        let Ok(begun) = tokio::time::timeout(START_PATIENCE, begun).await else {
            let message = "the source cannot be claimed or read now";
            return Err(EngineError::Unavailable(message.to_owned()));
        };
        Ok(begun.ok().map(|()| LifecycleLock {
            controls,
            finished: false,
            _guard: guard,
        }))
    }

    /// Pauses or resumes the dispatch of queued work.
    pub async fn set_dispatch(&self, dispatch: Dispatch) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        self.request(SourceControl::SetDispatch(dispatch, reply), answer)
            .await
    }

    /// Pauses the dispatch of queued work. Invocations that do not end in time are interrupted: they run again if the source
    /// does.
    pub async fn stop_dispatch(&self) -> Result<(), EngineError> {
        let (reply, mut answer) = oneshot::channel();
        self.send(SourceControl::SetDispatch(Dispatch::Paused, reply))?;
        let in_time = tokio::time::timeout(STOP_PATIENCE, &mut answer).await;
        let paused = if let Ok(paused) = in_time {
            paused
        } else {
            self.send(SourceControl::Interrupt)?;
            answer.await
        };
        paused.map_err(|_| is_gone())
    }

    pub async fn run_hook(&self, hook: Hook) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        self.request(SourceControl::RunHook(hook, reply), answer)
            .await??;
        Ok(())
    }

    /// Makes the owner run `definition`, which is not stored yet.
    pub fn swap(&self, definition: Definition) {
        let _ = self
            .controls
            .send(SourceControl::Swap(Box::new(definition)));
    }

    /// Commits `change` with the effects of the hooks. From then on the owner runs `definition`, if one is given.
    pub async fn commit(
        mut self,
        definition: Option<Definition>,
        change: Change,
    ) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        let commit = SourceControl::Commit(definition.map(Box::new), change, reply);
        self.finished = true;
        self.request(commit, answer).await?
    }

    /// The source is removed from the store: its owner stops.
    pub fn stop_owner(mut self) {
        self.finished = true;
        let _ = self.controls.send(SourceControl::Stop);
    }

    async fn request<T>(
        &self,
        control: SourceControl,
        answer: oneshot::Receiver<T>,
    ) -> Result<T, EngineError> {
        self.send(control)?;
        answer.await.map_err(|_| is_gone())
    }

    fn send(&self, control: SourceControl) -> Result<(), EngineError> {
        self.controls.send(control).map_err(|_| is_gone())
    }
}

fn is_gone() -> EngineError {
    EngineError::Unavailable("the source is being shut down".to_owned())
}

impl Drop for LifecycleLock {
    fn drop(&mut self) {
        if !self.finished {
            let _ = self.controls.send(SourceControl::Discard);
        }
    }
}
