//! Sources: found by slug, else by name.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use sluice_api::Component;
use sluice_model::{MASK, configure};

use super::changed;
use crate::commands::{
    account::{
        folder::{Runs, Source},
        ids::{Ids, source_name},
        matching::{Matched, matched},
        plan::{Action, Plan, Planning, SourceChange, Step, in_order},
        props,
        server::RunningSource,
    },
    yaml::normal,
};

pub(in super::super) fn sources(
    planning: &Planning<'_>,
    plan: &mut Plan,
    ids: &mut Ids,
    deletions: &mut Vec<Step>,
) {
    let Matched { known, others } = matched(
        &planning.folder.sources,
        &planning.account.sources,
        &[
            &|slug, _, found: &RunningSource| slug == found.source.name_slug,
            &|_, wanted: &Source, found| wanted.name == found.source.name,
        ],
    );
    for (slug, wanted) in in_order(&planning.folder.sources) {
        let name = source_name(slug);
        let found = known.get(slug.as_str()).copied();
        if let Some(found) = found {
            ids.insert(name.clone(), found.source.id.as_str());
        }
        match step(planning, wanted, found) {
            Ok(None) => plan.unchanged += 1,
            Ok(Some((details, action))) => plan.change(name, details, action),
            Err(problems) => {
                for problem in problems {
                    plan.problem(&name, problem);
                }
            }
        }
    }
    deletions.extend(others.into_iter().map(|found| Step {
        name: source_name(&found.source.name_slug),
        details: Vec::new(),
        action: Action::DeleteSource(found.source.id.to_string()),
    }));
}

type Change = (Vec<String>, Action);

fn step(
    planning: &Planning<'_>,
    wanted: &Source,
    found: Option<&RunningSource>,
) -> Result<Option<Change>, Vec<String>> {
    if let Runs::Registry(key) = &wanted.runs
        && planning.registry.get(key).is_none_or(Option::is_none)
    {
        return Err(vec![format!("key: the registry has no component {key}")]);
    }
    let nothing = Map::new();
    let current = found.map_or(&nothing, |found| &found.source.configured_props);
    let props = planning.references.resolved(&wanted.props, current)?;
    Ok(match found {
        None => {
            let source = wanted.clone();
            Some((Vec::new(), Action::CreateSource { source, props }))
        }
        Some(found) => update(planning, wanted, found, props),
    })
}

fn update(
    planning: &Planning<'_>,
    wanted: &Source,
    found: &RunningSource,
    props: Map<String, Value>,
) -> Option<Change> {
    let RunningSource {
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
    if runs_something_else(planning, &wanted.runs, found) {
        details.push(match &wanted.runs {
            Runs::File { path, .. } => format!("component: {path}"),
            Runs::Registry(key) => format!("key: {key}"),
        });
        change.runs = Some(wanted.runs.clone());
    }
    let next = component_of(planning, &wanted.runs, component);
    let secrets = props::secret_references(&wanted.props);
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

fn runs_something_else(planning: &Planning<'_>, wanted: &Runs, found: &RunningSource) -> bool {
    match wanted {
        Runs::File { code, .. } => *code != found.component.code,
        Runs::Registry(key) => {
            let published = planning.registry.get(key).and_then(Option::as_ref);
            published.is_none_or(|published| published.id != found.component.id)
        }
    }
}

/// The component that the source is to run, as far as the server has it already.
fn component_of<'a>(
    planning: &'a Planning<'_>,
    wanted: &Runs,
    current: &'a Component,
) -> Option<&'a Component> {
    match wanted {
        Runs::Registry(key) => planning.registry.get(key).and_then(Option::as_ref),
        Runs::File { code, .. } if *code == current.code => Some(current),
        Runs::File { code, .. } => {
            let saved = planning.account.components.iter();
            saved.into_iter().find(|saved| saved.code == *code)
        }
    }
}

/// Each prop whose value on the server is not the one that the folder leads to.
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
        .filter(|(name, value)| props::is_given(declared, name, value))
        .map(|(name, value)| (name.clone(), normal(value.clone())))
        .collect();
    let names: BTreeSet<&String> = wanted.keys().chain(current.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        let (old, new) = (current.get(name), wanted.get(name));
        let declaration = props::declaration(declared, name);
        let is_kept = new.is_none() && declaration.is_some_and(props::keeps_unmentioned);
        // Without its declarations, values that nobody mentions may be defaults.
        let is_unknown = new.is_none() && component.is_none();
        if old == new || is_kept || is_unknown {
            continue;
        }
        let is_secret = secrets.contains(name) || old == Some(&json!(MASK));
        changes.push(if is_secret {
            format!("props.{name}: a new secret")
        } else {
            changed(&format!("props.{name}"), old, new)
        });
    }
    changes
}

/// The values that the server would keep: checked, and with defaults. What it would refuse stays as it is given.
fn completed(
    component: Option<&Component>,
    props: &Map<String, Value>,
    shown: &Map<String, Value>,
) -> Map<String, Value> {
    let declared = component.map_or(&[][..], |component| &component.configurable_props);
    let is_declared = |name: &str| props::declaration(declared, name).is_some();
    let (known, others): (Vec<_>, Vec<_>) = props
        .clone()
        .into_iter()
        .partition(|(name, _)| is_declared(name));
    let known: Map<String, Value> = known.into_iter().collect();
    let complete = configure(declared, &known, Some(shown)).unwrap_or(known);
    let secret_default = |name: &str| {
        !props.contains_key(name)
            && props::declaration(declared, name).is_some_and(props::keeps_unmentioned)
    };
    complete
        .into_iter()
        .filter(|(name, _)| !secret_default(name))
        .chain(others)
        .map(|(name, value)| (name, normal(value)))
        .collect()
}
