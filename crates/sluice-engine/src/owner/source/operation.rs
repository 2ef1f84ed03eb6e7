//! Lifecycle operations, as the owner carries them out: hooks, the swap of code, and one commit at the end.

use std::sync::Arc;

use sluice_model::InvocationId;
use sluice_runtime::{Call, Invocation};
use sluice_store::StoreError;

use super::{
    load::load,
    owner::{Operation, Running, SourceOwner},
};
use crate::{
    commit::{
        committer::{Committed, commit_once},
        source::{Extras, Trigger},
    },
    error::EngineError,
    owner::{
        actor::Unsettled,
        lifecycle::{Change, Dispatch, SourceControl},
    },
    state::Definition,
};

impl SourceOwner {
    pub(super) async fn handle_control(&mut self, control: SourceControl) {
        match control {
            SourceControl::Begin(reply) => {
                // An operation that waited for too long has been given up.
                if reply.send(()).is_ok() {
                    self.operation = Some(Operation {
                        dispatch: Dispatch::Running,
                        confirm: None,
                        hooks: Vec::new(),
                        ended_hooks: Vec::new(),
                        is_dirty: false,
                    });
                }
            }
            SourceControl::SetDispatch(dispatch, reply) => {
                if let Some(operation) = &mut self.operation {
                    operation.dispatch = dispatch;
                    operation.confirm = Some(reply);
                }
            }
            SourceControl::Interrupt => self.interrupt(),
            SourceControl::RunHook(hook, reply) => {
                if let Some(operation) = &mut self.operation {
                    operation.is_dirty = true;
                    operation.hooks.push((hook, reply));
                }
            }
            SourceControl::Swap(definition) => self.swap(*definition),
            SourceControl::Commit(definition, change, reply) => {
                let result = self.commit_operation(definition, change).await;
                let failed = result.is_err();
                let _ = reply.send(result);
                // After the reply, because it may take until the store is available again.
                if failed {
                    self.discard().await;
                }
            }
            SourceControl::Discard => self.discard().await,
            SourceControl::Stop => {
                self.operation = None;
                self.stop_process();
                self.core.abandon();
            }
            SourceControl::Evict => self.evict(),
            SourceControl::HandOver => self.core.leaving = true,
        }
    }

    /// Ends running invocations with their process. They stay in the inbox.
    fn interrupt(&mut self) {
        if self.running.is_empty() {
            return;
        }
        tracing::info!(source = %self.core.id(), running = self.running.len(), "invocations interrupted");
        self.stop_process();
        self.requeue_all(|_| true);
    }

    fn swap(&mut self, definition: Definition) {
        self.stop_process();
        if let Some(host) = self.core.hosts.get_mut(&()) {
            host.cancel_backoff();
        }
        self.definition = definition;
        if let Some(operation) = &mut self.operation {
            operation.is_dirty = true;
        }
    }

    pub(super) fn run_hooks(&mut self) {
        if !self.has_waiting_hooks() || !self.is_authorized_for_hooks() {
            return;
        }
        if self.core.live(&()).is_none() {
            return;
        }
        for (hook, reply) in self.take_hooks() {
            let now_ms = self.core.now_ms();
            let invocation = Invocation {
                id: InvocationId::generate(&mut self.core.ids, now_ms),
                call: Call::Hook(hook),
                event: Arc::from("null"),
                timeout: self.core.infra().settings.invocation_timeout,
            };
            self.running
                .insert(invocation.id, Running::Hook(hook, reply));
            if let Some(live) = self.core.live(&()) {
                live.invoke(&[invocation]);
            }
        }
    }

    /// Confirms the requested dispatch state once it is reached.
    pub(super) fn confirm_dispatch(&mut self) {
        let is_quiet = self.is_quiet();
        if let Some(operation) = &mut self.operation
            && (operation.dispatch == Dispatch::Running || is_quiet)
            && let Some(reply) = operation.confirm.take()
        {
            let _ = reply.send(());
        }
    }

    pub(super) fn awaits_pause(&self) -> bool {
        self.operation
            .as_ref()
            .is_some_and(|operation| operation.confirm.is_some())
    }

    /// An operation cannot wait for a commit that waits for the store.
    pub(super) fn reject_pause(&mut self) {
        if let Some(operation) = &mut self.operation {
            operation.confirm = None;
        }
    }

    async fn commit_operation(
        &mut self,
        definition: Option<Box<Definition>>,
        change: Change,
    ) -> Result<(), EngineError> {
        match self.core.settle_commit().await {
            Ok(Some(committed)) => self.committed(&committed),
            Ok(None) => {}
            Err(Unsettled::Stalled) => {
                let message = "earlier effects of the source cannot be stored";
                return Err(EngineError::Unavailable(message.to_owned()));
            }
            Err(Unsettled::Fenced) => {
                let message = "another server has taken over the source";
                return Err(EngineError::Unavailable(message.to_owned()));
            }
        }
        let mut hooks = Vec::new();
        if let Some(operation) = &mut self.operation {
            operation.is_dirty = true;
            hooks = std::mem::take(&mut operation.ended_hooks);
        }
        if let Some(definition) = definition {
            self.definition = *definition;
        }
        let batch = Arc::new(self.batch(hooks, Extras::default()));
        match commit_once(self.core.infra(), Arc::clone(&batch), change).await {
            Ok(applied) => {
                self.operation = None;
                self.core.commit_no = batch.commit_no;
                self.committed(&Committed { batch, applied });
                // The change may have written log lines of its own.
                let id = self.core.id().clone();
                self.core.services.after_commit.streams.logs_written(&id);
                // The next owner finds the work of an inactive source in the store.
                self.core.stopping = !self.definition.source.active;
                Ok(())
            }
            Err(error) => {
                // A commit whose reply was lost may have been kept.
                let id = self.core.id().clone();
                self.core.services.after_commit.streams.reload(&id);
                if matches!(error, StoreError::Fenced(_)) {
                    self.core.abandon();
                }
                Err(error.into())
            }
        }
    }

    /// Forgets an operation. One that changed nothing disturbs nothing; otherwise the source is read again.
    async fn discard(&mut self) {
        let operation = self.operation.take();
        if operation.is_some_and(|operation| operation.is_dirty) {
            self.reload().await;
        }
    }

    /// Reads the source again. Running invocations belong to code or state that is given up, and run again.
    pub(super) async fn reload(&mut self) {
        self.stop_process();
        self.requeue_all(|_| true);
        self.running.clear();
        if let Some(committed) = self.core.finish_commit().await {
            self.committed(&committed);
        }
        if self.core.stopping {
            return;
        }
        for one in std::mem::take(&mut self.finished).into_iter().rev() {
            match one.trigger {
                Trigger::Inbox(work) => self.core.mailbox().requeue(work),
                Trigger::Direct(work) => self.core.mailbox().requeue_direct(work),
                Trigger::Hook => {}
            }
        }
        for work in std::mem::take(&mut self.extras.due_events) {
            self.core.mailbox().requeue(work);
        }
        let id = self.definition.source.id.clone();
        match load(&self.core.services, &id).await {
            Some(((definition, memory), fence)) => {
                self.core.fence = fence;
                self.core.commit_no = memory.commit_no;
                self.definition = definition;
                self.memory = memory;
            }
            None => self.core.abandon(),
        }
    }
}
