//! Questions a component asks the server while it runs, and their answers.
//!
//! What can be asked is no matter of the runtime: it carries questions to whoever listens to the process, and bounds them.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// Questions of one process that may wait for their answers at once. The harness holds more of them back.
pub(crate) const MOST_AT_ONCE: usize = 32;

/// What a question holds beside the value it may carry: names and a key, with every character escaped.
const BESIDE_THE_VALUE: usize = 32 * 1024;

#[derive(Debug)]
pub struct Ask {
    /// By which the harness knows the answer.
    pub number: u64,
    /// The name of the module that asks.
    pub module: String,
    pub op: String,
    pub args: Box<RawValue>,
}

impl Ask {
    /// Questions wait in memory, so one has no more room than its value needs.
    pub(crate) fn is_oversized(&self, value_bytes: usize) -> bool {
        self.module.len() + self.op.len() + self.args.get().len()
            > value_bytes.saturating_add(BESIDE_THE_VALUE)
    }
}

/// What a question gets: JSON on one line, or why there is none, in words for the component's author.
pub type Answer = Result<Box<RawValue>, String>;

/// Where the answers to a process's questions go.
#[derive(Clone)]
pub struct Answers {
    pub(crate) lines: mpsc::UnboundedSender<String>,
    pub(crate) waiting: Waiting,
}

impl Answers {
    /// To a process that has died it goes nowhere.
    pub fn send(&self, answers: impl IntoIterator<Item = (u64, Answer)>) {
        let mut text = String::new();
        for (number, answer) in answers {
            self.waiting.0.fetch_sub(1, Ordering::Relaxed);
            answer_line(number, &answer, &mut text);
        }
        let _ = self.lines.send(text);
    }
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

/// How many questions wait for their answers.
#[derive(Clone, Default)]
pub(crate) struct Waiting(Arc<AtomicUsize>);

impl Waiting {
    /// Counts one more; false when there are too many.
    pub(crate) fn add(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) < MOST_AT_ONCE
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
    fn only_so_many_may_wait() {
        let (lines, _receiver) = mpsc::unbounded_channel();
        let waiting = Waiting::default();
        assert!((0..MOST_AT_ONCE).all(|_| waiting.add()));
        assert!(!waiting.add());
        let answers = Answers {
            lines,
            waiting: waiting.clone(),
        };
        answers.send((0..2).map(|number| (number, Err(String::new()))));
        assert!(waiting.add());
        assert!(!waiting.add());
    }
}
