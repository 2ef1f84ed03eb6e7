//! Lifecycle operations as the owner carries them out: hooks, the swap of code, and the one commit at the end.

use std::sync::Arc;

use sluice_model::InvocationId;
use sluice_runtime::{Call, Invocation};

use super::{Actor, Operation, Running, load, stall};
use crate::{
    error::EngineError,
    owning::Rows,
    source::{
        Change, Definition, Gate,
        commit::{Aside, Trigger},
        engagement::Control,
    },
};

impl Actor {
    pub(super) async fn obey(&mut self, control: Control) {
        match control {
            Control::Begin(reply) => {
                let _ = reply.send(());
                self.engaged = Some(Operation {
                    gate: Gate::Open,
                    quiet: None,
                    hooks: Vec::new(),
                    held: Vec::new(),
                    changed: false,
                });
            }
            Control::SetGate(gate, reply) => {
                if let Some(operation) = &mut self.engaged {
                    operation.gate = gate;
                    operation.quiet = Some(reply);
                }
            }
            Control::RunHook(hook, reply) => {
                if let Some(operation) = &mut self.engaged {
                    operation.changed = true;
                    operation.hooks.push((hook, reply));
                }
            }
            Control::Swap(definition) => {
                self.give_up_process();
                self.start_after = None;
                self.definition = *definition;
                if let Some(operation) = &mut self.engaged {
                    operation.changed = true;
                }
            }
            Control::Conclude(definition, change, reply) => {
                let result = self.conclude(definition, change).await;
                let failed = result.is_err();
                let _ = reply.send(result);
                // After the answer, because it may take until the store works again.
                if failed {
                    self.discard().await;
                }
            }
            Control::Discard => self.discard().await,
            Control::Leave => {
                self.engaged = None;
                self.give_up_process();
                self.leaving = true;
            }
            Control::Evict => self.stop_idle_process(),
        }
    }

    pub(super) fn run_hooks(&mut self) {
        if self.has_waiting_hooks() && !self.is_authorized_for_hooks() {
            return;
        }
        let (Some(live), Some(operation)) = (&self.process, &mut self.engaged) else {
            return;
        };
        for (hook, reply) in operation.hooks.drain(..) {
            let id = InvocationId::generate(&mut self.ids, self.context.infra.clock.now_ms());
            let invocation = Invocation {
                id,
                call: Call::Hook(hook),
                event: Arc::from("null"),
                timeout: self.context.infra.settings.invocation_timeout,
            };
            self.running.insert(id, Running::Hook(hook, reply));
            live.process.invoke(&[invocation]);
        }
    }

    pub(super) fn answer_quiet(&mut self) {
        let quiet = self.is_quiet();
        if let Some(operation) = &mut self.engaged
            && (operation.gate == Gate::Open || quiet)
            && let Some(reply) = operation.quiet.take()
        {
            let _ = reply.send(());
        }
    }

    pub(super) fn awaits_quiet(&self) -> bool {
        self.engaged
            .as_ref()
            .is_some_and(|operation| operation.quiet.is_some())
    }

    /// An operation cannot wait for commits that the store refuses.
    pub(super) fn refuse_quiet(&mut self) {
        if let Some(operation) = &mut self.engaged {
            operation.quiet = None;
        }
    }

    pub(super) async fn conclude(
        &mut self,
        definition: Option<Box<Definition>>,
        change: Change,
    ) -> Result<(), EngineError> {
        if let Some(mut commit) = self.commit.take() {
            tokio::select! {
                batch = &mut commit => self.committed(batch.ok()),
                () = stall(&self.stalled) => {
                    self.commit = Some(commit);
                    return Err(EngineError::Unavailable("what the source did before cannot be stored".to_owned()));
                }
            }
        }
        let mut held = Vec::new();
        if let Some(operation) = &mut self.engaged {
            operation.changed = true;
            held = std::mem::take(&mut operation.held);
        }
        if let Some(definition) = definition {
            self.definition = *definition;
        }
        let batch = Arc::new(self.builder().build(held, Aside::default()));
        let store = self.context.infra.store.clone();
        let rows = Arc::clone(&batch);
        let result = store
            .write(move |c| {
                change(c)?;
                rows.apply(c)
            })
            .await;
        match result {
            Ok(applied) => {
                self.engaged = None;
                applied.reached.wake(&self.context);
                if let Some(due) = batch.earliest_due() {
                    self.context.timers_changed(due);
                }
                self.tell_readers(&batch, &applied);
                // The change may have written lines of its own.
                self.context.streams.lines_written(&self.handle.id);
                self.context
                    .infra
                    .metrics
                    .events
                    .inc_by(batch.user_events());
                self.context
                    .quotas
                    .used(&self.definition.source.user_id, batch.usage());
                // What waits for an inactive source is found in the store by whoever owns it next.
                self.leaving = !self.definition.source.active;
                Ok(())
            }
            Err(error) => {
                // A commit that failed on its way back may have been kept all the same.
                self.context.streams.look_again(&self.handle.id);
                Err(error.into())
            }
        }
    }

    /// Forgets what an operation did: the source is again what the store says. One that was refused
    /// before it did anything disturbs nothing.
    pub(super) async fn discard(&mut self) {
        if self
            .engaged
            .take()
            .is_some_and(|operation| operation.changed)
        {
            self.reload().await;
        }
    }

    pub(super) async fn reload(&mut self) {
        // Running invocations belong to code or state that is given up: they run again on the old ones.
        self.give_up_process();
        self.give_all_back(|_| true);
        self.running.clear();
        if let Some(commit) = self.commit.take() {
            let batch = commit.await.ok();
            self.committed(batch);
        }
        let finished = std::mem::take(&mut self.finished);
        for one in finished.into_iter().rev() {
            if let Trigger::Inbox(work) = one.trigger {
                self.handle.mailbox.return_to_front(work);
            }
        }
        for work in std::mem::take(&mut self.due_events) {
            self.handle.mailbox.return_to_front(work);
        }
        match load(&self.context, &self.handle).await {
            Some((definition, memory)) => {
                self.definition = definition;
                self.memory = memory;
            }
            None => self.leaving = true,
        }
    }
}
