//! A lifecycle operation's hold on a source: it decides when work flows, runs hooks, and ends in one
//! commit or in nothing. Dropped before it concluded, it discards what it did.

use sluice_model::Hook;
use sluice_store::{Conn, StoreError};
use tokio::sync::{OwnedMutexGuard, mpsc, oneshot};

use super::Definition;
use crate::error::EngineError;

/// What a lifecycle operation changes in the store, in the same transaction as its hooks' effects.
pub(crate) type Change = Box<dyn FnOnce(&mut dyn Conn) -> Result<(), StoreError> + Send>;

/// Whether accepted work is run while the operation lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    Shut,
}

/// A hook that threw, with what it said on the way.
#[derive(Debug)]
pub(crate) struct HookError {
    pub(crate) observations: Vec<serde_json::Value>,
}

impl From<HookError> for EngineError {
    fn from(HookError { observations }: HookError) -> EngineError {
        EngineError::HookFailed { observations }
    }
}

pub(crate) enum Control {
    Begin(oneshot::Sender<()>),
    /// Answers when the gate is set; with `Shut`, when nothing runs any more and all is committed.
    SetGate(Gate, oneshot::Sender<()>),
    RunHook(Hook, oneshot::Sender<Result<(), HookError>>),
    Swap(Box<Definition>),
    Conclude(
        Option<Box<Definition>>,
        Change,
        oneshot::Sender<Result<(), EngineError>>,
    ),
    Discard,
    Leave,
    Evict,
}

pub(crate) struct Engagement {
    controls: mpsc::UnboundedSender<Control>,
    over: bool,
    _turn: OwnedMutexGuard<()>,
}

impl Engagement {
    pub(super) async fn begin(
        controls: mpsc::UnboundedSender<Control>,
        turn: OwnedMutexGuard<()>,
    ) -> Option<Engagement> {
        let (reply, begun) = oneshot::channel();
        controls.send(Control::Begin(reply)).ok()?;
        begun.await.ok()?;
        Some(Engagement {
            controls,
            over: false,
            _turn: turn,
        })
    }

    pub(crate) async fn set_gate(&self, gate: Gate) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        self.ask(Control::SetGate(gate, reply), answer).await
    }

    pub(crate) async fn hook(&self, hook: Hook) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        self.ask(Control::RunHook(hook, reply), answer).await??;
        Ok(())
    }

    /// From here on the source runs `definition`, though nothing of it is stored yet.
    pub(crate) fn swap(&self, definition: Definition) {
        let _ = self.controls.send(Control::Swap(Box::new(definition)));
    }

    /// Commits `change` with everything the hooks did, and from then on runs `definition` when one is given.
    pub(crate) async fn conclude(
        mut self,
        definition: Option<Definition>,
        change: Change,
    ) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        let conclusion = Control::Conclude(definition.map(Box::new), change, reply);
        self.over = true;
        self.ask(conclusion, answer).await?
    }

    /// The source is gone from the store: its owner ends.
    pub(crate) fn leave(mut self) {
        self.over = true;
        let _ = self.controls.send(Control::Leave);
    }

    async fn ask<T>(
        &self,
        control: Control,
        answer: oneshot::Receiver<T>,
    ) -> Result<T, EngineError> {
        let gone = || EngineError::Unavailable("the source is being shut down".to_owned());
        self.controls.send(control).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())
    }
}

impl Drop for Engagement {
    fn drop(&mut self) {
        if !self.over {
            let _ = self.controls.send(Control::Discard);
        }
    }
}
