//! A plan as text and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::plan::{Effect, Plan, PlanError};
use crate::commands::output::{BAD, CHANGED, FAINT, GOOD, counted, styled};

pub(super) fn plan_text(plan: &Plan) -> String {
    let mut text = String::new();
    for step in &plan.steps {
        let sign = match step.action.effect() {
            Effect::Create => styled(GOOD, "+"),
            Effect::Update => styled(CHANGED, "~"),
            Effect::Delete => styled(BAD, "-"),
        };
        line(&mut text, &format!("{sign} {}", step.name));
        for detail in &step.details {
            line(&mut text, &format!("    {}", styled(FAINT, detail)));
        }
    }
    for name in &plan.left {
        let note = styled(FAINT, "(not in the folder; --prune deletes it)");
        line(&mut text, &format!("? {name} {note}"));
    }
    line(&mut text, &summary(plan));
    text
}

/// The plan, with its outcome after execution: the number of done steps and the errors.
pub(super) fn as_json(plan: &Plan, outcome: Option<(usize, &[PlanError])>) -> Value {
    let changes: Vec<Value> = plan
        .steps
        .iter()
        .map(|step| {
            let effect = step.action.effect();
            json!({ "name": step.name, "effect": effect, "details": step.details })
        })
        .collect();
    let mut report = json!({
        "changes": changes, "unchanged": plan.unchanged, "left": plan.left, "problems": plan.errors,
    });
    if let Some((done, failed)) = outcome {
        report["done"] = json!(done);
        report["failed"] = json!(failed);
    }
    report
}

pub(super) fn errors_text(plan: &Plan) -> String {
    let mut text = String::new();
    for PlanError { name, reason } in &plan.errors {
        line(&mut text, &format!("{} {name}: {reason}", styled(BAD, "!")));
    }
    text
}

fn summary(plan: &Plan) -> String {
    if plan.steps.is_empty() {
        return format!("No changes; {} unchanged.", plan.unchanged);
    }
    let counts = [
        (Effect::Create, "to create"),
        (Effect::Update, "to update"),
        (Effect::Delete, "to delete"),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(effect, label)| (plan.count(effect), label))
        .filter(|(count, _)| *count > 0)
        .map(|(count, label)| format!("{count} {label}"))
        .collect();
    let changes = counted(plan.steps.len(), "change");
    format!(
        "{changes}: {}; {} unchanged.",
        counts.join(", "),
        plan.unchanged
    )
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a string succeeds");
}
