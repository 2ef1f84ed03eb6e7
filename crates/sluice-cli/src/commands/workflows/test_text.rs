//! The text of a test.

use std::fmt::Write;

use serde_json::{Value, value::RawValue};
use sluice_api::{TestedSend, TestedStep, WorkflowTest};

use super::run_text::{line, state, step_text};
use crate::commands::output::{BAD, CHANGED, FAINT, GOOD, duration, fields, styled};

/// The steps with their results, and the result of the test. `document` is the name of the document.
pub(super) fn test_text(done: &WorkflowTest, document: &str) -> String {
    let mut text = String::new();
    for name in &done.given {
        unexecuted(&mut text, name, "not run: its exports are given");
    }
    for name in &done.missing {
        unexecuted(&mut text, name, "not run: its exports are unknown");
    }
    for tested in &done.steps {
        text.push_str(&step_text(&tested.step, document));
        for row in notes(tested) {
            line(&mut text, &row);
        }
    }
    if let Some(response) = &done.response {
        let (status, body) = (response.status, &response.body);
        writeln!(text, "response {status}  {body}").expect("writing to a string succeeds");
    }
    text.push('\n');
    let mut facts = vec![("test", state(&done.state))];
    let reason = done.exit_reason.clone();
    facts.extend(reason.map(|reason| ("ended early", reason)));
    facts.extend(done.from_run.map(|run| ("data of", run.to_string())));
    text.push_str(&fields(&facts));
    text
}

fn unexecuted(text: &mut String, name: &str, reason: &str) {
    let row = styled(FAINT, &format!("- {name}  {reason}"));
    writeln!(text, "{row}").expect("writing to a string succeeds");
}

fn notes(tested: &TestedStep) -> Vec<String> {
    let mut notes: Vec<String> = tested.sends.iter().map(send).collect();
    if let (Some(kind), Some(ms)) = (&tested.step.waited_for, tested.pause_ms) {
        let kind = serde_json::to_value(kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default();
        let text = format!("{kind}: a run would wait {}", duration(ms));
        notes.push(styled(CHANGED, &text));
    }
    notes
}

fn send(send: &TestedSend) -> String {
    let payload = compact(&send.payload);
    let result = send.result.as_deref().unwrap_or_default();
    match send.state.as_str() {
        "sent" => format!("{} {} {payload}  {result}", styled(GOOD, "sent"), send.kind),
        "failed" => format!(
            "{} {} {payload}  {result}",
            styled(BAD, "not sent"),
            send.kind
        ),
        _ => format!("{} {} {payload}", styled(CHANGED, "would send"), send.kind),
    }
}

fn compact(json: &RawValue) -> String {
    let value: Value = serde_json::from_str(json.get()).unwrap_or_default();
    value.to_string()
}
