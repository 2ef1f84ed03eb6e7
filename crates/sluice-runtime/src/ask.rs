//! Questions of a component to the server while it runs, and their answers.
//!
//! The runtime passes questions to the reader of the process's events and limits their number and size. Their meaning is the
//! engine's.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// The number of questions of one process that may be pending. The harness queues more.
pub(crate) const MAX_PENDING: usize = 32;

/// The size of a question without its value: names and a key, with every character escaped.
const MAX_OVERHEAD: usize = 32 * 1024;

#[derive(Debug)]
pub struct Ask {
    /// Identifies the answer for the harness.
    pub number: u64,
    /// The name of the module that asks.
    pub module: String,
    pub op: String,
    pub args: Box<RawValue>,
}

impl Ask {
    /// Pending questions are in memory, so their size is limited.
    pub(crate) fn is_oversized(&self, value_bytes: usize) -> bool {
        self.module.len() + self.op.len() + self.args.get().len()
            > value_bytes.saturating_add(MAX_OVERHEAD)
    }
}

/// JSON on one line, or an error message for the author of the component.
pub type Answer = Result<Box<RawValue>, String>;

type SendAnswers = dyn Fn(Vec<(u64, Answer)>) + Send + Sync;

/// The channel for answers to the questions of a process.
#[derive(Clone)]
pub struct Answers(Arc<SendAnswers>);

impl Answers {
    pub fn new(send: impl Fn(Vec<(u64, Answer)>) + Send + Sync + 'static) -> Answers {
        Answers(Arc::new(send))
    }

    /// Sends answers by the numbers of their questions. Answers to a process that has exited are dropped.
    pub fn send(&self, answers: impl IntoIterator<Item = (u64, Answer)>) {
        (self.0)(answers.into_iter().collect());
    }
}

/// Answers that are written to the channel of a process.
pub(crate) fn pipe_answers(
    lines: mpsc::UnboundedSender<String>,
    pending: PendingAnswers,
) -> Answers {
    Answers::new(move |answers| {
        let mut text = String::new();
        for (number, answer) in answers {
            pending.0.fetch_sub(1, Ordering::Relaxed);
            answer_line(number, &answer, &mut text);
        }
        let _ = lines.send(text);
    })
}

fn answer_line(number: u64, answer: &Answer, out: &mut String) {
    let _ = match answer {
        Ok(value) => {
            debug_assert!(!value.get().contains('\n'));
            writeln!(out, r#"{{"t":"answer","n":{number},"v":{value}}}"#)
        }
        Err(error) => {
            let error = serde_json::Value::from(error.as_str());
            writeln!(out, r#"{{"t":"answer","n":{number},"err":{error}}}"#)
        }
    };
}

/// The number of questions without an answer.
#[derive(Clone, Default)]
pub(crate) struct PendingAnswers(Arc<AtomicUsize>);

impl PendingAnswers {
    /// Counts one more. Returns false if there are too many.
    pub(crate) fn add(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) < MAX_PENDING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_lines_of_json() {
        let mut text = String::new();
        let value = RawValue::from_string("[1]".to_owned()).unwrap();
        answer_line(1, &Ok(value), &mut text);
        answer_line(2, &Err("no\n\"way\"".to_owned()), &mut text);
        assert_eq!(
            text,
            "{\"t\":\"answer\",\"n\":1,\"v\":[1]}\n{\"t\":\"answer\",\"n\":2,\"err\":\"no\\n\\\"way\\\"\"}\n"
        );
    }

    #[test]
    fn the_number_of_pending_questions_is_limited() {
        let (lines, _receiver) = mpsc::unbounded_channel();
        let pending = PendingAnswers::default();
        assert!((0..MAX_PENDING).all(|_| pending.add()));
        assert!(!pending.add());
        let answers = pipe_answers(lines, pending.clone());
        answers.send((0..2).map(|number| (number, Err(String::new()))));
        assert!(pending.add());
        assert!(!pending.add());
    }
}
