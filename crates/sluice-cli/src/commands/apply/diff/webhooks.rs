//! Webhooks, which are matched by name and URL, else by their name in the folder.

use serde_json::{Map, Value, json};

use super::common::{changed, in_order};
use crate::commands::{
    apply::{
        matching::{Matches, match_items},
        plan::{Action, Plan, PlanInput, Step},
    },
    snapshot::{
        account::NamedWebhook,
        folder::Webhook,
        ids::{Ids, webhook_name},
    },
};

pub(in super::super) fn webhooks(
    input: &PlanInput<'_>,
    plan: &mut Plan,
    ids: &mut Ids,
    deletions: &mut Vec<Step>,
) {
    let Matches {
        existing,
        unmatched,
    } = match_items(
        &input.folder.webhooks,
        &input.account.webhooks,
        &[
            &|_, wanted: &Webhook, found: &NamedWebhook| {
                wanted.name == found.webhook.name && wanted.url == found.webhook.url
            },
            &|key, _, found| key == found.key,
        ],
    );
    for (key, wanted) in in_order(&input.folder.webhooks) {
        let name = webhook_name(key);
        let Some(found) = existing.get(key.as_str()) else {
            plan.add(name, Action::CreateWebhook(wanted.clone()));
            continue;
        };
        let id = found.webhook.id.to_string();
        ids.insert(name.clone(), &id);
        let (change, details) = difference(wanted, found);
        if change.is_empty() {
            plan.unchanged += 1;
        } else {
            plan.change(name, details, Action::UpdateWebhook { id, change });
        }
    }
    deletions.extend(unmatched.into_iter().map(|found| Step {
        name: webhook_name(&found.key),
        details: Vec::new(),
        action: Action::DeleteWebhook(found.webhook.id.to_string()),
    }));
}

fn difference(wanted: &Webhook, found: &NamedWebhook) -> (Map<String, Value>, Vec<String>) {
    let found = &found.webhook;
    let fields = [
        ("name", json!(found.name), json!(wanted.name)),
        (
            "description",
            json!(found.description),
            json!(wanted.description),
        ),
        ("url", json!(found.url), json!(wanted.url)),
        ("active", json!(found.active), json!(wanted.active)),
        (
            "concurrency",
            json!(found.concurrency),
            json!(wanted.concurrency),
        ),
    ];
    let mut change = Map::new();
    let mut details = Vec::new();
    for (field, old, new) in fields {
        if old != new {
            details.push(changed(field, Some(&old), Some(&new)));
            change.insert(field.to_owned(), new);
        }
    }
    (change, details)
}
