//! Converting an account into the content of a folder.

use std::collections::BTreeMap;

use sluice_api::ComponentFiles;
use sluice_model::unique_slug;

use super::{
    account::{Account, DeployedSource, DeployedWorkflow, NamedWebhook},
    folder::{Folder, Runs, Source, Subscription, Webhook, Workflow},
    ids::Ids,
    names::component_stem,
    references,
};
use crate::commands::code::Code;

pub(crate) fn folder_of(account: &Account) -> Folder {
    let components = component_files(account);
    let sources = account.sources.iter().map(|deployed| {
        let slug = deployed.source.name_slug.clone();
        (slug, source(account, deployed, &components))
    });
    let workflows = account.workflows.iter().map(|deployed| {
        let slug = deployed.workflow.name_slug.clone();
        (slug, workflow(deployed))
    });
    let webhooks = account.webhooks.iter();
    let ids = Ids::from_account(account);
    let own = account.subscriptions.iter();
    let own = own.filter(|subscription| !account.is_trigger(subscription));
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

/// Code by file name. Of two components with the same name, the older one keeps it.
pub(crate) fn component_files(account: &Account) -> BTreeMap<String, Code> {
    let mut files = BTreeMap::new();
    for component in account.components.iter().rev() {
        let stem = component_stem(component.key.as_deref(), &component.name);
        let stem = unique_slug(&stem, |taken| files.contains_key(taken));
        files.insert(stem, Code::of(component));
    }
    files
}

/// The path of code in an export: a file, or a file in a folder of its own if there are several.
pub(crate) fn entry_path(place: &str, code: &Code) -> String {
    match &code.files {
        Some(ComponentFiles { path, .. }) => format!("{place}/{path}"),
        None => format!("{place}.mjs"),
    }
}

fn source(
    account: &Account,
    deployed: &DeployedSource,
    components: &BTreeMap<String, Code>,
) -> Source {
    let DeployedSource {
        source, component, ..
    } = deployed;
    let props = references::to_references(
        &source.configured_props,
        &component.configurable_props,
        &source.name_slug,
        &account.accounts,
    );
    Source {
        name: source.name.clone(),
        runs: runs(deployed, components),
        active: source.active,
        props,
        retention: source.retention,
    }
}

fn runs(deployed: &DeployedSource, components: &BTreeMap<String, Code>) -> Runs {
    let DeployedSource {
        source,
        component,
        is_from_registry,
    } = deployed;
    match &component.key {
        Some(key) if *is_from_registry => return Runs::Registry(key.clone()),
        _ => {}
    }
    let code = Code::of(component);
    let saved = components.iter().find(|(_, saved)| **saved == code);
    let place = match saved {
        Some((stem, _)) => format!("components/{stem}"),
        None => format!("sources/{}", source.name_slug),
    };
    Runs::File {
        path: entry_path(&place, &code),
        code,
    }
}

fn workflow(deployed: &DeployedWorkflow) -> Workflow {
    Workflow {
        document: deployed.document.clone(),
        files: deployed.files.clone(),
        active: deployed.workflow.active,
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
