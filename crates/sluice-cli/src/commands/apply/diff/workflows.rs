//! Workflows, which are matched by slug, else by name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use sluice_model::workflow::{EnvValue, parse};

use super::common::{changed, in_order};
use crate::commands::{
    apply::{
        matching::{Matches, match_items},
        plan::{Action, Plan, PlanInput, Step},
    },
    snapshot::{
        account::DeployedWorkflow,
        folder::Workflow,
        ids::{Ids, workflow_name},
        names::workflow_secret,
    },
};

pub(in super::super) fn workflows(
    input: &PlanInput<'_>,
    plan: &mut Plan,
    ids: &mut Ids,
    deletions: &mut Vec<Step>,
) {
    let Matches {
        existing,
        unmatched,
    } = match_items(
        &input.folder.workflows,
        &input.account.workflows,
        &[
            &|slug, _, found: &DeployedWorkflow| slug == found.workflow.name_slug,
            &|_, wanted: &Workflow, found| name_of(&wanted.document) == found.workflow.name,
        ],
    );
    for (slug, wanted) in in_order(&input.folder.workflows) {
        let name = workflow_name(slug);
        let Some(found) = existing.get(slug.as_str()) else {
            create(input, plan, slug, wanted);
            continue;
        };
        let id = found.workflow.id.to_string();
        ids.insert(name.clone(), &id);
        let (change, details) = difference(input, slug, wanted, found);
        if change.is_empty() {
            plan.unchanged += 1;
        } else {
            plan.change(name, details, Action::UpdateWorkflow { id, change });
        }
    }
    deletions.extend(unmatched.into_iter().map(|found| Step {
        name: workflow_name(&found.workflow.name_slug),
        details: Vec::new(),
        action: Action::DeleteWorkflow(found.workflow.id.to_string()),
    }));
}

fn create(input: &PlanInput<'_>, plan: &mut Plan, slug: &str, wanted: &Workflow) {
    let name = workflow_name(slug);
    let mut secrets = BTreeMap::new();
    let mut is_complete = true;
    for secret in secrets_of(&wanted.document) {
        let variable = workflow_secret(slug, &secret);
        if let Some(value) = input.references.secrets.get(&variable) {
            secrets.insert(secret, value);
        } else {
            is_complete = false;
            plan.error(
                &name,
                format!(
                    "env.{secret}: the secret has no value: set the environment variable {variable}, or use --secrets-file"
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
    input: &PlanInput<'_>,
    slug: &str,
    wanted: &Workflow,
    found: &DeployedWorkflow,
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
    let secrets = new_secrets(input, slug, wanted, found);
    if !secrets.is_empty() {
        details.extend(secrets.keys().map(|name| format!("env.{name}: new secret")));
        change.insert("secrets".to_owned(), json!(secrets));
    }
    if wanted.active != found.workflow.active {
        let (old, new) = (json!(found.workflow.active), json!(wanted.active));
        details.push(changed("active", Some(&old), Some(&new)));
        change.insert("active".to_owned(), new);
    }
    (change, details)
}

/// The secrets that the deployed version does not have. With `update_secrets`, all secrets.
fn new_secrets(
    input: &PlanInput<'_>,
    slug: &str,
    wanted: &Workflow,
    found: &DeployedWorkflow,
) -> BTreeMap<String, String> {
    let stored = secrets_of(&found.document);
    let references = input.references;
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
