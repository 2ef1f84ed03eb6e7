//! Sources, which are matched by slug, else by name.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use sluice_api::Component;
use sluice_model::{MASK, configure};

use super::common::{changed, in_order};
use crate::commands::code::Code;
use crate::commands::{
    apply::{
        matching::{Matches, match_items},
        plan::{Action, Plan, PlanInput, SourceChange, Step},
    },
    snapshot::{
        account::DeployedSource,
        folder::{Runs, Source},
        ids::{Ids, source_name},
        references,
    },
    yaml::normalized,
};

pub(in super::super) fn sources(
    input: &PlanInput<'_>,
    plan: &mut Plan,
    ids: &mut Ids,
    deletions: &mut Vec<Step>,
) {
    let Matches {
        existing,
        unmatched,
    } = match_items(
        &input.folder.sources,
        &input.account.sources,
        &[
            &|slug, _, found: &DeployedSource| slug == found.source.name_slug,
            &|_, wanted: &Source, found| wanted.name == found.source.name,
        ],
    );
    for (slug, wanted) in in_order(&input.folder.sources) {
        let name = source_name(slug);
        let found = existing.get(slug.as_str()).copied();
        if let Some(found) = found {
            ids.insert(name.clone(), found.source.id.as_str());
        }
        match step(input, wanted, found) {
            Ok(None) => plan.unchanged += 1,
            Ok(Some((details, action))) => plan.change(name, details, action),
            Err(errors) => {
                for error in errors {
                    plan.error(&name, error);
                }
            }
        }
    }
    deletions.extend(unmatched.into_iter().map(|found| Step {
        name: source_name(&found.source.name_slug),
        details: Vec::new(),
        action: Action::DeleteSource(found.source.id.to_string()),
    }));
}

type Change = (Vec<String>, Action);

fn step(
    input: &PlanInput<'_>,
    wanted: &Source,
    found: Option<&DeployedSource>,
) -> Result<Option<Change>, Vec<String>> {
    if let Runs::Registry(key) = &wanted.runs
        && input.registry.get(key).is_none_or(Option::is_none)
    {
        return Err(vec![format!("key: no component {key} in the registry")]);
    }
    let empty = Map::new();
    let current = found.map_or(&empty, |found| &found.source.configured_props);
    let props = input.references.resolve(&wanted.props, current)?;
    Ok(match found {
        None => {
            let source = wanted.clone();
            Some((Vec::new(), Action::CreateSource { source, props }))
        }
        Some(found) => update(input, wanted, found, props),
    })
}

fn update(
    input: &PlanInput<'_>,
    wanted: &Source,
    found: &DeployedSource,
    props: Map<String, Value>,
) -> Option<Change> {
    let DeployedSource {
        source, component, ..
    } = found;
    let mut details = Vec::new();
    let mut change = SourceChange::default();
    if wanted.name != source.name {
        details.push(changed(
            "name",
            Some(&json!(source.name)),
            Some(&json!(wanted.name)),
        ));
        change.fields.insert("name".to_owned(), json!(wanted.name));
    }
    if has_other_code(input, &wanted.runs, found) {
        details.push(match &wanted.runs {
            Runs::File { path, .. } => format!("component: {path}"),
            Runs::Registry(key) => format!("key: {key}"),
        });
        change.runs = Some(wanted.runs.clone());
    }
    let next = component_of(input, &wanted.runs, component);
    let secrets = references::secret_references(&wanted.props);
    let changed_props = prop_changes(next, &props, &source.configured_props, &secrets);
    if !changed_props.is_empty() || change.runs.is_some() {
        details.extend(changed_props);
        change
            .fields
            .insert("configured_props".to_owned(), Value::Object(props));
    }
    if wanted.retention != source.retention {
        let (old, new) = (json!(source.retention), json!(wanted.retention));
        details.push(changed("retention", Some(&old), Some(&new)));
        change.fields.insert("retention".to_owned(), new);
    }
    if wanted.active != source.active {
        let (old, new) = (json!(source.active), json!(wanted.active));
        details.push(changed("active", Some(&old), Some(&new)));
    }
    change
        .fields
        .insert("active".to_owned(), json!(wanted.active));
    let id = source.id.to_string();
    (!details.is_empty()).then_some((details, Action::UpdateSource { id, change }))
}

fn has_other_code(input: &PlanInput<'_>, wanted: &Runs, found: &DeployedSource) -> bool {
    match wanted {
        Runs::File { code, .. } => *code != Code::of(&found.component),
        Runs::Registry(key) => {
            let published = input.registry.get(key).and_then(Option::as_ref);
            published.is_none_or(|published| published.id != found.component.id)
        }
    }
}

/// The wanted component of the source, if the server has it.
fn component_of<'a>(
    input: &'a PlanInput<'_>,
    wanted: &Runs,
    current: &'a Component,
) -> Option<&'a Component> {
    match wanted {
        Runs::Registry(key) => input.registry.get(key).and_then(Option::as_ref),
        Runs::File { code, .. } if *code == Code::of(current) => Some(current),
        Runs::File { code, .. } => {
            let saved = input.account.components.iter();
            saved.into_iter().find(|saved| Code::of(saved) == *code)
        }
    }
}

/// One line for each prop whose value on the server differs from the folder.
fn prop_changes(
    component: Option<&Component>,
    props: &Map<String, Value>,
    shown: &Map<String, Value>,
    secrets: &BTreeSet<&String>,
) -> Vec<String> {
    let declared = component.map_or(&[][..], |component| &component.configurable_props);
    let wanted = completed(component, props, shown);
    let current: Map<String, Value> = shown
        .iter()
        .filter(|(name, value)| references::is_user_value(declared, name, value))
        .map(|(name, value)| (name.clone(), normalized(value.clone())))
        .collect();
    let names: BTreeSet<&String> = wanted.keys().chain(current.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        let (old, new) = (current.get(name), wanted.get(name));
        let declaration = references::declaration(declared, name);
        let is_kept = new.is_none() && declaration.is_some_and(references::is_kept_when_omitted);
        // Without declarations, an omitted value may be a default.
        let may_be_default = new.is_none() && component.is_none();
        if old == new || is_kept || may_be_default {
            continue;
        }
        let is_secret = secrets.contains(name) || old == Some(&json!(MASK));
        changes.push(if is_secret {
            format!("props.{name}: new secret")
        } else {
            changed(&format!("props.{name}"), old, new)
        });
    }
    changes
}

/// The values that the server would store, with defaults. Invalid values are returned as they are.
fn completed(
    component: Option<&Component>,
    props: &Map<String, Value>,
    shown: &Map<String, Value>,
) -> Map<String, Value> {
    let declared = component.map_or(&[][..], |component| &component.configurable_props);
    let is_declared = |name: &str| references::declaration(declared, name).is_some();
    let (static_props, dynamic_props): (Vec<_>, Vec<_>) = props
        .clone()
        .into_iter()
        .partition(|(name, _)| is_declared(name));
    let static_props: Map<String, Value> = static_props.into_iter().collect();
    let complete = configure(declared, &static_props, Some(shown)).unwrap_or(static_props);
    let secret_default = |name: &str| {
        !props.contains_key(name)
            && references::declaration(declared, name).is_some_and(references::is_kept_when_omitted)
    };
    complete
        .into_iter()
        .filter(|(name, _)| !secret_default(name))
        .chain(dynamic_props)
        .map(|(name, value)| (name, normalized(value)))
        .collect()
}
