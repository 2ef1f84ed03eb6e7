//! Workflows: found by slug, else by name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use sluice_model::workflow::{EnvValue, parse};

use super::changed;
use crate::commands::account::{
    folder::Workflow,
    ids::{Ids, workflow_name},
    matching::{Matched, matched},
    names::workflow_secret,
    plan::{Action, Plan, Planning, Step, in_order},
    server::RunningWorkflow,
};

pub(in super::super) fn workflows(
    planning: &Planning<'_>,
    plan: &mut Plan,
    ids: &mut Ids,
    deletions: &mut Vec<Step>,
) {
    let Matched { known, others } = matched(
        &planning.folder.workflows,
        &planning.account.workflows,
        &[
            &|slug, _, found: &RunningWorkflow| slug == found.workflow.name_slug,
            &|_, wanted: &Workflow, found| name_of(&wanted.document) == found.workflow.name,
        ],
    );
    for (slug, wanted) in in_order(&planning.folder.workflows) {
        let name = workflow_name(slug);
        let Some(found) = known.get(slug.as_str()) else {
            create(planning, plan, slug, wanted);
            continue;
        };
        let id = found.workflow.id.to_string();
        ids.insert(name.clone(), &id);
        let (change, details) = difference(planning, slug, wanted, found);
        if change.is_empty() {
            plan.unchanged += 1;
        } else {
            plan.change(name, details, Action::UpdateWorkflow { id, change });
        }
    }
    deletions.extend(others.into_iter().map(|found| Step {
        name: workflow_name(&found.workflow.name_slug),
        details: Vec::new(),
        action: Action::DeleteWorkflow(found.workflow.id.to_string()),
    }));
}

fn create(planning: &Planning<'_>, plan: &mut Plan, slug: &str, wanted: &Workflow) {
    let name = workflow_name(slug);
    let mut secrets = BTreeMap::new();
    let mut is_complete = true;
    for secret in secrets_of(&wanted.document) {
        let goes_by = workflow_secret(slug, &secret);
        if let Some(value) = planning.references.secrets.get(&goes_by) {
            secrets.insert(secret, value);
        } else {
            is_complete = false;
            plan.problem(
                &name,
                format!(
                    "env.{secret}: the secret has no value: set the environment variable {goes_by}, or give it in --secrets-file"
                ),
            );
        }
    }
    if is_complete {
        let workflow = wanted.clone();
        plan.add(name, Action::CreateWorkflow { workflow, secrets });
    }
}

fn difference(
    planning: &Planning<'_>,
    slug: &str,
    wanted: &Workflow,
    found: &RunningWorkflow,
) -> (Map<String, Value>, Vec<String>) {
    let mut change = Map::new();
    let mut details = Vec::new();
    let files: BTreeSet<&String> = wanted.files.keys().chain(found.files.keys()).collect();
    let changed_files = files
        .into_iter()
        .filter(|file| wanted.files.get(*file) != found.files.get(*file));
    details.extend(changed_files.map(|file| format!("file: {file}")));
    if wanted.document != found.document {
        details.insert(0, "document: workflow.yaml".to_owned());
    }
    if !details.is_empty() {
        change.insert("document".to_owned(), json!(wanted.document));
        change.insert("files".to_owned(), json!(wanted.files));
    }
    let secrets = new_secrets(planning, slug, wanted, found);
    if !secrets.is_empty() {
        details.extend(
            secrets
                .keys()
                .map(|name| format!("env.{name}: a new secret")),
        );
        change.insert("secrets".to_owned(), json!(secrets));
    }
    if wanted.active != found.workflow.active {
        let (old, new) = (json!(found.workflow.active), json!(wanted.active));
        details.push(changed("active", Some(&old), Some(&new)));
        change.insert("active".to_owned(), new);
    }
    (change, details)
}

/// Values of secrets that the running version does not have; of all, when they are to be updated.
fn new_secrets(
    planning: &Planning<'_>,
    slug: &str,
    wanted: &Workflow,
    found: &RunningWorkflow,
) -> BTreeMap<String, String> {
    let stored = secrets_of(&found.document);
    let references = planning.references;
    secrets_of(&wanted.document)
        .into_iter()
        .filter(|name| references.update_secrets || !stored.contains(name))
        .filter_map(|name| {
            let value = references.secrets.get(&workflow_secret(slug, &name))?;
            Some((name, value))
        })
        .collect()
}

fn name_of(document: &str) -> String {
    parse(document).map_or_else(|_| String::new(), |(document, _)| document.name)
}

/// The environment values that a document declares as secrets.
fn secrets_of(document: &str) -> BTreeSet<String> {
    let Ok((document, _)) = parse(document) else {
        return BTreeSet::new();
    };
    let secret = |(name, value): (String, EnvValue)| (value == EnvValue::Secret).then_some(name);
    document.env.into_iter().filter_map(secret).collect()
}
