//! One question to a component, in a process that lives as long as the question.

use std::{sync::Arc, time::Duration};

use serde_json::value::RawValue;
use sluice_model::{IdGen, InvocationId};

use crate::{
    outcome::{Call, Failure, Invocation, LogLine, ProcessEvent, Question},
    process::{Process, ProcessEvents},
};

pub(crate) const MAX_CONCURRENT: usize = 16;

/// The answer of a component and its log lines.
#[derive(Debug)]
pub struct QuestionOutcome {
    pub result: Result<Box<RawValue>, Failure>,
    pub logs: Vec<LogLine>,
    pub duration: Duration,
}

/// Asks the component of a process that was started for this question.
pub(crate) async fn ask(
    process: &Process,
    mut events: ProcessEvents,
    question: Question,
    argument: Arc<str>,
    timeout: Duration,
) -> QuestionOutcome {
    process.invoke(&[Invocation {
        id: InvocationId::generate(&mut IdGen::new(0), 0),
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
                    return answer;
                }
                ProcessEvent::Exited {
                    reason, unfinished, ..
                } => {
                    let logs = unfinished.into_iter().flat_map(|one| one.logs);
                    answer.logs.extend(logs);
                    answer.result = Err(died(&reason));
                    return answer;
                }
                ProcessEvent::Asked(ask) => {
                    let error = Err("a data store cannot be used here".to_owned());
                    process.answers().send([(ask.number, error)]);
                }
                ProcessEvent::Replied(..) | ProcessEvent::Computed(_) => {}
            }
        }
    }
    answer
}

fn died(reason: &str) -> Failure {
    Failure {
        name: "ProcessDied".to_owned(),
        message: format!("the component process died: {reason}"),
        stack: String::new(),
        code: None,
        prop: None,
    }
}
