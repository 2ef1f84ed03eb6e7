//! Planning: the steps from the account on the server to the content of a folder.

use super::{
    diff,
    plan::{Plan, PlanInput},
};
use crate::commands::snapshot::ids::Ids;

/// The plan, and the ids of existing items.
pub(super) fn plan(input: &PlanInput<'_>) -> (Plan, Ids) {
    let mut plan = Plan::default();
    let mut ids = Ids::from_account(input.account);
    let mut deletions = Vec::new();
    diff::components(input, &mut plan);
    diff::webhooks(input, &mut plan, &mut ids, &mut deletions);
    diff::sources(input, &mut plan, &mut ids, &mut deletions);
    diff::workflows(input, &mut plan, &mut ids, &mut deletions);
    diff::subscriptions(input, &mut plan, &ids, &mut deletions);
    deletions.reverse();
    if input.prune {
        plan.steps.extend(deletions);
    } else {
        plan.left
            .extend(deletions.into_iter().map(|step| step.name));
    }
    (plan, ids)
}
