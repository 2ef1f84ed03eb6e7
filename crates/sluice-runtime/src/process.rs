//! The handle to a component process, whatever runs it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::{
    ask::Answers,
    outcome::{Invocation, ProcessEvent},
    tmp_folder::TmpFolder,
};

/// Batches of events of a process. The channel closes after [`ProcessEvent::Exited`].
pub type ProcessEvents = mpsc::Receiver<Vec<ProcessEvent>>;

/// The operations of a process with loaded code. They neither block nor fail.
pub trait ProcessControl: Send + Sync {
    /// Sends invocations to the component. Each ends with an event, at the latest with that of the exit.
    fn invoke(&self, invocations: &[Invocation]);

    /// Sets `$auth` of these app props of a module, from the next invocation on.
    fn authorize(&self, module: &str, auths: &Map<String, Value>);

    /// The channel for answers to questions of the component.
    fn answers(&self) -> Answers;

    /// The folder that the component may write to.
    fn tmp(&self) -> TmpFolder;

    /// The process, if others may run in it too.
    fn place(&self) -> Option<SharedPlace> {
        None
    }

    /// Ends an idle process, or the part of this source in a process that others share.
    fn leave(&self) {
        self.kill();
    }

    /// Ends the process, which is then reported as an event. Further calls have no effect.
    fn kill(&self);
}

/// A process that several sources may share.
#[derive(Debug, Clone)]
pub struct SharedPlace {
    /// Tells processes apart.
    pub process: u64,
    pub(crate) tenants: Arc<AtomicUsize>,
}

impl SharedPlace {
    /// A process with so many sources.
    pub fn new(process: u64, tenants: Arc<AtomicUsize>) -> SharedPlace {
        SharedPlace { process, tenants }
    }

    /// The number of sources that it runs now.
    pub fn tenants(&self) -> usize {
        self.tenants.load(Ordering::Relaxed)
    }
}

/// A handle to a process with loaded code. Dropping it kills the process.
pub struct Process(Box<dyn ProcessControl>);

impl Process {
    pub fn new(control: impl ProcessControl + 'static) -> Process {
        Process(Box::new(control))
    }

    /// Sends invocations to the component. Each ends with an event, at the latest with that of the exit.
    pub fn invoke(&self, invocations: &[Invocation]) {
        self.0.invoke(invocations);
    }

    /// Sets `$auth` of these app props of a module, from the next invocation on.
    pub fn authorize(&self, module: &str, auths: &Map<String, Value>) {
        self.0.authorize(module, auths);
    }

    /// The channel for answers to questions of the component.
    pub fn answers(&self) -> Answers {
        self.0.answers()
    }

    /// The folder that the component may write to.
    pub fn tmp(&self) -> TmpFolder {
        self.0.tmp()
    }

    /// The process, if others may run in it too.
    pub fn place(&self) -> Option<SharedPlace> {
        self.0.place()
    }

    /// Ends an idle process. If others share it, it goes on for them, and code that is left running may go on with it.
    pub fn leave(&self) {
        self.0.leave();
    }

    /// Ends the process. If others share it, they are started again elsewhere.
    pub fn kill(&self) {
        self.0.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
