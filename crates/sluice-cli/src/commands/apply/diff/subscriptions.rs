//! Subscriptions, which are identified by emitter, channel and listener.

use std::collections::BTreeSet;

use crate::commands::{
    apply::plan::{Action, Plan, PlanInput, Step},
    snapshot::{folder::Subscription, ids::Ids},
};

pub(in super::super) fn subscriptions(
    input: &PlanInput<'_>,
    plan: &mut Plan,
    ids: &Ids,
    deletions: &mut Vec<Step>,
) {
    let mut kept = BTreeSet::new();
    let mut automatic = Vec::new();
    for wanted in &input.folder.subscriptions {
        let name = name_of(wanted);
        match existing(input, ids, wanted) {
            Some(found) => {
                plan.unchanged += 1;
                kept.insert(found.id.as_str());
            }
            None => match missing_end(input, ids, wanted) {
                Some(end) => {
                    let reason = format!("{end} exists neither in the folder nor on the server");
                    plan.error(&name, reason);
                }
                // Automatic ones are last: before, they would add subscriptions for the emitters of this plan.
                None if wanted.is_automatic() => automatic.push((name, wanted)),
                None => plan.add(name, Action::Subscribe(wanted.clone())),
            },
        }
    }
    for (name, wanted) in automatic {
        plan.add(name, Action::Subscribe(wanted.clone()));
    }
    let deleted: Vec<String> = deletions.iter().map(|step| step.name.clone()).collect();
    for found in &input.account.subscriptions {
        if kept.contains(found.id.as_str()) || input.account.is_trigger(found) {
            continue;
        }
        let ends = [&found.emitter_id, &found.listener_id].map(|id| ids.name_of(id));
        let [Some(from), Some(to)] = ends else {
            continue;
        };
        let other = Subscription {
            from,
            event: found.event_name.clone(),
            to,
        };
        let is_deleted_with_end = deleted.contains(&other.from) || deleted.contains(&other.to);
        if !is_deleted_with_end && !is_from_automatic(input, &other) {
            deletions.push(Step {
                name: name_of(&other),
                details: Vec::new(),
                action: Action::Unsubscribe(found.clone()),
            });
        }
    }
}

fn existing<'a>(
    input: &PlanInput<'a>,
    ids: &Ids,
    wanted: &Subscription,
) -> Option<&'a sluice_api::Subscription> {
    let (emitter, listener) = (ids.id_of(&wanted.from)?, ids.id_of(&wanted.to)?);
    input.account.subscriptions.iter().find(|found| {
        found.emitter_id == emitter
            && found.listener_id == listener
            && found.event_name == wanted.event
    })
}

/// The end of the subscription that is neither on the server nor in the folder.
fn missing_end<'a>(input: &PlanInput<'_>, ids: &Ids, wanted: &'a Subscription) -> Option<&'a str> {
    let folder = input.folder;
    let is_planned = |name: &str| match name.split_once('/') {
        Some(("sources", slug)) => folder.sources.contains_key(slug),
        Some(("workflows", slug)) => folder.workflows.contains_key(slug),
        Some(("webhooks", key)) => folder.webhooks.contains_key(key),
        _ => false,
    };
    [wanted.from.as_str(), wanted.to.as_str()]
        .into_iter()
        .find(|name| ids.id_of(name).is_none() && !is_planned(name))
}

/// Whether an automatic subscription of the folder created it, together with its emitter.
fn is_from_automatic(input: &PlanInput<'_>, other: &Subscription) -> bool {
    let automatic = Subscription {
        from: "*".to_owned(),
        ..other.clone()
    };
    input.folder.subscriptions.contains(&automatic)
}

fn name_of(subscription: &Subscription) -> String {
    let Subscription { from, event, to } = subscription;
    let event = if event.is_empty() {
        String::new()
    } else {
        format!(" {event}")
    };
    format!("subscription {from}{event} → {to}")
}
