//! Subscriptions: who they connect is all that they are.

use std::collections::BTreeSet;

use crate::commands::account::{
    folder::Subscription,
    ids::Ids,
    plan::{Action, Plan, Planning, Step},
};

pub(in super::super) fn subscriptions(
    planning: &Planning<'_>,
    plan: &mut Plan,
    ids: &Ids,
    deletions: &mut Vec<Step>,
) {
    let mut kept = BTreeSet::new();
    let mut automatic = Vec::new();
    for wanted in &planning.folder.subscriptions {
        let name = name_of(wanted);
        match existing(planning, ids, wanted) {
            Some(found) => {
                plan.unchanged += 1;
                kept.insert(found.id.as_str());
            }
            None => match missing_end(planning, ids, wanted) {
                Some(end) => {
                    let reason = format!("{end} is neither in the folder nor on the server");
                    plan.problem(&name, reason);
                }
                // Those that come later would get subscriptions of their own from it.
                None if wanted.is_automatic() => automatic.push((name, wanted)),
                None => plan.add(name, Action::Subscribe(wanted.clone())),
            },
        }
    }
    for (name, wanted) in automatic {
        plan.add(name, Action::Subscribe(wanted.clone()));
    }
    let going: Vec<String> = deletions.iter().map(|step| step.name.clone()).collect();
    for found in &planning.account.subscriptions {
        if kept.contains(found.id.as_str()) || planning.account.is_of_trigger(found) {
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
        let goes_with_an_end = going.contains(&other.from) || going.contains(&other.to);
        if !goes_with_an_end && !comes_from_automatic(planning, &other) {
            deletions.push(Step {
                name: name_of(&other),
                details: Vec::new(),
                action: Action::Unsubscribe(found.clone()),
            });
        }
    }
}

fn existing<'a>(
    planning: &Planning<'a>,
    ids: &Ids,
    wanted: &Subscription,
) -> Option<&'a sluice_api::Subscription> {
    let (emitter, listener) = (ids.id_of(&wanted.from)?, ids.id_of(&wanted.to)?);
    planning.account.subscriptions.iter().find(|found| {
        found.emitter_id == emitter
            && found.listener_id == listener
            && found.event_name == wanted.event
    })
}

/// The end that is not there and will not be.
fn missing_end<'a>(
    planning: &Planning<'_>,
    ids: &Ids,
    wanted: &'a Subscription,
) -> Option<&'a str> {
    let folder = planning.folder;
    let comes = |name: &str| match name.split_once('/') {
        Some(("sources", slug)) => folder.sources.contains_key(slug),
        Some(("workflows", slug)) => folder.workflows.contains_key(slug),
        Some(("webhooks", key)) => folder.webhooks.contains_key(key),
        _ => false,
    };
    [wanted.from.as_str(), wanted.to.as_str()]
        .into_iter()
        .find(|name| ids.id_of(name).is_none() && !comes(name))
}

/// Whether an automatic subscription of the folder made it when its emitter was created.
fn comes_from_automatic(planning: &Planning<'_>, other: &Subscription) -> bool {
    let maker = Subscription {
        from: "*".to_owned(),
        ..other.clone()
    };
    planning.folder.subscriptions.contains(&maker)
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
