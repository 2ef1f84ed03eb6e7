//! The folder that an account makes.

use std::collections::BTreeMap;

use sluice_model::unique_slug;

use super::{
    folder::{Folder, Runs, Source, Subscription, Webhook, Workflow},
    ids::Ids,
    names::component_stem,
    props,
    server::{Account, NamedWebhook, RunningSource, RunningWorkflow},
};

pub(crate) fn folder_of(account: &Account) -> Folder {
    let components = folder_of_components(account);
    let sources = account.sources.iter().map(|running| {
        let slug = running.source.name_slug.clone();
        (slug, source(account, running, &components))
    });
    let workflows = account.workflows.iter().map(|running| {
        let slug = running.workflow.name_slug.clone();
        (slug, workflow(running))
    });
    let webhooks = account.webhooks.iter();
    let ids = Ids::of(account);
    let own = account.subscriptions.iter();
    let own = own.filter(|subscription| !account.is_of_trigger(subscription));
    let subscriptions = own.filter_map(|subscription| {
        Some(Subscription {
            from: ids.name_of(&subscription.emitter_id)?,
            event: subscription.event_name.clone(),
            to: ids.name_of(&subscription.listener_id)?,
        })
    });
    Folder {
        sources: sources.collect(),
        workflows: workflows.collect(),
        webhooks: webhooks.map(webhook).collect(),
        subscriptions: subscriptions.collect(),
        components,
    }
}

/// Code by file name; the oldest keeps the plain name when two would have the same.
pub(crate) fn folder_of_components(account: &Account) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for component in account.components.iter().rev() {
        let stem = component_stem(component.key.as_deref(), &component.name);
        let stem = unique_slug(&stem, |taken| files.contains_key(taken));
        files.insert(stem, component.code.clone());
    }
    files
}

fn source(
    account: &Account,
    running: &RunningSource,
    components: &BTreeMap<String, String>,
) -> Source {
    let RunningSource {
        source, component, ..
    } = running;
    let props = props::referring(
        &source.configured_props,
        &component.configurable_props,
        &source.name_slug,
        &account.accounts,
    );
    Source {
        name: source.name.clone(),
        runs: runs(running, components),
        active: source.active,
        props,
        retention: source.retention,
    }
}

fn runs(running: &RunningSource, components: &BTreeMap<String, String>) -> Runs {
    let RunningSource {
        source,
        component,
        is_from_registry,
    } = running;
    match &component.key {
        Some(key) if *is_from_registry => return Runs::Registry(key.clone()),
        _ => {}
    }
    let saved = components.iter().find(|(_, code)| **code == component.code);
    Runs::File {
        path: match saved {
            Some((stem, _)) => format!("components/{stem}.mjs"),
            None => format!("sources/{}.mjs", source.name_slug),
        },
        code: component.code.clone(),
    }
}

fn workflow(running: &RunningWorkflow) -> Workflow {
    Workflow {
        document: running.document.clone(),
        files: running.files.clone(),
        active: running.workflow.active,
    }
}

fn webhook(named: &NamedWebhook) -> (String, Webhook) {
    let NamedWebhook { key, webhook } = named;
    let webhook = Webhook {
        name: webhook.name.clone(),
        description: webhook.description.clone(),
        url: webhook.url.clone(),
        active: webhook.active,
        concurrency: webhook.concurrency,
    };
    (key.clone(), webhook)
}
