//! A plan as people and as programs read it.

use std::fmt::Write;

use serde_json::{Value, json};

use super::plan::{Effect, Plan, Problem};
use crate::commands::output::{BAD, CHANGED, FAINT, GOOD, counted, styled};

pub(crate) fn described(plan: &Plan) -> String {
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

/// The plan, with what came of it once it was carried out.
pub(crate) fn as_json(plan: &Plan, carried_out: Option<(usize, &[Problem])>) -> Value {
    let changes: Vec<Value> = plan
        .steps
        .iter()
        .map(|step| {
            let effect = step.action.effect();
            json!({ "name": step.name, "effect": effect, "details": step.details })
        })
        .collect();
    let mut told = json!({
        "changes": changes, "unchanged": plan.unchanged, "left": plan.left, "problems": plan.problems,
    });
    if let Some((done, failed)) = carried_out {
        told["done"] = json!(done);
        told["failed"] = json!(failed);
    }
    told
}

pub(crate) fn problems(plan: &Plan) -> String {
    let mut text = String::new();
    for Problem { name, reason } in &plan.problems {
        line(&mut text, &format!("{} {name}: {reason}", styled(BAD, "!")));
    }
    text
}

fn summary(plan: &Plan) -> String {
    if plan.steps.is_empty() {
        return format!("Nothing to change; {} unchanged.", plan.unchanged);
    }
    let counts = [
        (Effect::Create, "to create"),
        (Effect::Update, "to update"),
        (Effect::Delete, "to delete"),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(effect, words)| (plan.count(effect), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
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
