//! Webhooks and subscriptions.

use sluice_model::workflow::{Trigger, parse};

use super::{
    listings::{SubscriptionRow, WebhookRow, shown},
    names::Names,
    report::{Kind, Report},
};
use crate::commands::snapshot::{
    folder::{Folder, Subscription, Webhook},
    ids::{source_name, webhook_name, workflow_name},
};

const PATTERNS: [&str; 2] = ["dc_*", "p_*"];
const DEFAULT_CHANNEL: &str = "default";

pub(super) fn add_webhooks(
    folder: &mut Folder,
    rows: &[WebhookRow],
    names: &Names<'_>,
    report: &mut Report,
) {
    for row in rows {
        let Some(key) = names.webhook(&row.id) else {
            continue;
        };
        let is_http = ["http://", "https://"]
            .iter()
            .any(|scheme| row.url.starts_with(scheme));
        if !is_http {
            let text = format!("its URL is not valid: {}", shown(Some(&row.url), "empty"));
            report.add(Kind::NotImported, &webhook_name(key), text);
            continue;
        }
        let text = |text: &Option<String>| text.as_deref().map(|text| shown(Some(text), ""));
        let webhook = Webhook {
            name: text(&row.name).filter(|name| !name.is_empty()),
            description: text(&row.description).filter(|text| !text.is_empty()),
            url: row.url.clone(),
            active: row.active.unwrap_or(true),
            concurrency: 1,
        };
        folder.webhooks.insert(key.to_owned(), webhook);
    }
}

/// Adds the subscriptions that are no triggers of workflows, which are part of their documents.
pub(super) fn add_subscriptions(
    folder: &mut Folder,
    rows: &[SubscriptionRow],
    names: &Names<'_>,
    report: &mut Report,
) {
    for row in rows {
        let from = match PATTERNS.iter().find(|pattern| **pattern == row.emitter_id) {
            Some(pattern) => Some((*pattern).to_owned()),
            None => names.in_folder(&row.emitter_id),
        };
        let to = names.in_folder(&row.listener_id);
        let place = format!("subscription {} → {}", row.emitter_id, row.listener_id);
        let (Some(from), Some(to)) = (from, to) else {
            let text = "one of its ends is not part of the import, such as a workflow without a synced folder";
            report.add(Kind::NotImported, &place, text);
            continue;
        };
        if let Some(missing) = [&from, &to].into_iter().find(|end| !exists(folder, end)) {
            let text = format!("{missing} was not imported");
            report.add(Kind::NotImported, &place, text);
            continue;
        }
        let event = row.event_name.as_deref().unwrap_or_default();
        let event = if event == DEFAULT_CHANNEL { "" } else { event };
        let subscription = Subscription {
            from,
            event: event.to_owned(),
            to,
        };
        if !is_trigger(folder, &subscription) {
            folder.subscriptions.insert(subscription);
        }
    }
}

fn exists(folder: &Folder, name: &str) -> bool {
    match name.split_once('/') {
        Some(("sources", slug)) => folder.sources.contains_key(slug),
        Some(("workflows", slug)) => folder.workflows.contains_key(slug),
        Some(("webhooks", key)) => folder.webhooks.contains_key(key),
        _ => PATTERNS.contains(&name),
    }
}

/// Whether the document of the listening workflow has the subscription as a trigger.
fn is_trigger(folder: &Folder, subscription: &Subscription) -> bool {
    let mut workflows = folder.workflows.iter();
    let listener = workflows.find(|(slug, _)| workflow_name(slug) == subscription.to);
    let Some(Ok((document, _))) = listener.map(|(_, workflow)| parse(&workflow.document)) else {
        return false;
    };
    document.triggers.iter().any(|trigger| match trigger {
        Trigger::Events { from, event_name } => {
            let names = [source_name(from), workflow_name(from), from.clone()];
            *event_name == subscription.event && names.contains(&subscription.from)
        }
        Trigger::Http { .. } | Trigger::Schedule(_) => false,
    })
}
