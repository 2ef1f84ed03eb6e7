//! The handle to a component process, whatever runs it.

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

    /// Ends the process, which is then reported as an event. Further calls have no effect.
    fn kill(&self);
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

    pub fn kill(&self) {
        self.0.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
