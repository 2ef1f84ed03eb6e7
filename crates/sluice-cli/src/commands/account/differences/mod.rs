//! The differences between a folder and a server, kind by kind.

mod sources;
mod subscriptions;
mod webhooks;
mod workflows;

use serde_json::Value;

pub(super) use self::{
    sources::sources, subscriptions::subscriptions, webhooks::webhooks, workflows::workflows,
};
use super::{
    picture::folder_of_components,
    plan::{Action, Plan, Planning, in_order},
};

const LONGEST_SHOWN: usize = 60;

/// Components are told apart by their code: each that was saved stays as it is.
pub(super) fn components(planning: &Planning<'_>, plan: &mut Plan) {
    let saved = &planning.account.components;
    let files = folder_of_components(planning.account);
    for (stem, code) in in_order(&planning.folder.components) {
        if saved.iter().any(|component| component.code == *code) {
            plan.unchanged += 1;
            continue;
        }
        let is_new = !files.contains_key(stem);
        let details = if is_new {
            vec![]
        } else {
            vec!["code".to_owned()]
        };
        let action = Action::SaveComponent {
            code: code.clone(),
            is_new,
        };
        plan.change(format!("components/{stem}"), details, action);
    }
}

/// `field: old → new`, each cut to what fits a line.
fn changed(field: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    format!("{field}: {} → {}", shown(old), shown(new))
}

fn shown(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
