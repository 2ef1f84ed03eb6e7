//! Asking a component something, in a process that lives as long as the question.

use std::{sync::Arc, time::Duration};

use serde_json::value::RawValue;
use sluice_model::{IdGen, InvocationId};

use crate::{
    outcome::{Call, Failure, Invocation, LogLine, ProcessEvent, Question},
    runtime::Runtime,
    spec::{LoadError, ProcessSpec},
};

pub(crate) const AT_ONCE: usize = 16;

/// What came back, and what was logged on the way.
#[derive(Debug)]
pub struct QuestionOutcome {
    pub result: Result<Box<RawValue>, Failure>,
    pub logs: Vec<LogLine>,
    pub duration: Duration,
}

impl Runtime {
    /// Loads the component, asks, and lets the process go. `argument` is JSON on one line. Whatever else the component does
    /// meanwhile, such as emit, has no effect.
    pub async fn ask(
        &self,
        spec: &ProcessSpec,
        question: Question,
        argument: Arc<str>,
        timeout: Duration,
    ) -> Result<QuestionOutcome, LoadError> {
        let _turn = self
            .0
            .questions
            .acquire()
            .await
            .map_err(|error| LoadError::Start(error.to_string()))?;
        let (process, mut events) = self.start(spec).await?;
        let id = InvocationId::generate(&mut IdGen::new(0), 0);
        process.invoke(&[Invocation {
            id,
            call: Call::Ask(question),
            event: argument,
            timeout,
        }]);
        let mut answer = QuestionOutcome {
            result: Err(died("it ended")),
            logs: Vec::new(),
            duration: Duration::ZERO,
        };
        while let Some(batch) = events.recv().await {
            for event in batch {
                match event {
                    ProcessEvent::Stray(_, line) => answer.logs.push(line),
                    ProcessEvent::Ended(_, outcome) => {
                        answer.logs.extend(outcome.logs);
                        answer.duration = outcome.duration;
                        answer.result = match outcome.failure {
                            Some(failure) => Err(failure),
                            None => outcome.answer.ok_or_else(|| died("it gave no answer")),
                        };
                        return Ok(answer);
                    }
                    ProcessEvent::Exited { reason, unfinished } => {
                        let of_it = unfinished.into_iter().flat_map(|one| one.logs);
                        answer.logs.extend(of_it);
                        answer.result = Err(died(&reason));
                        return Ok(answer);
                    }
                    ProcessEvent::Asked(ask) => {
                        let refusal = Err("a data store cannot be used here".to_owned());
                        process.answers().send([(ask.number, refusal)]);
                    }
                    ProcessEvent::Replied(..) => {}
                }
            }
        }
        Ok(answer)
    }
}

fn died(reason: &str) -> Failure {
    Failure {
        name: "ProcessDied".to_owned(),
        message: format!("the component process died: {reason}"),
        stack: String::new(),
        code: None,
    }
}
