//! Components, which are identified by their code.

use super::common::in_order;
use crate::commands::{
    apply::plan::{Action, Plan, PlanInput},
    code::Code,
    snapshot::from_account::component_files,
};

/// Saved components are immutable, so a change of code is a new component.
pub(in super::super) fn components(input: &PlanInput<'_>, plan: &mut Plan) {
    let saved = &input.account.components;
    let files = component_files(input.account);
    for (stem, code) in in_order(&input.folder.components) {
        if saved.iter().any(|component| Code::of(component) == *code) {
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
