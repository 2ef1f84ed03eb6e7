//! A synced workflow as a workflow of the folder.
//!
//! A step that cannot be imported becomes one that fails, and its workflow is inactive. So nothing runs differently unnoticed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    super::{
        accounts::{Accounts, app_of_key},
        components::{Components, Found},
        env_names::env_names,
        names::Names,
        report::{Kind, ORIGINALS, Report},
        sources,
    },
    placeholder::placeholder,
    settings::settings,
    step_code::{Uses, missing_calls},
    step_props::StepProps,
    synced::SyncedWorkflow,
    triggers::Triggers,
};
use crate::commands::{
    code::Code,
    snapshot::{
        folder::{Folder, Workflow},
        ids::workflow_name,
        names::workflow_secret,
    },
    yaml,
};

const FIELDS: [&str; 6] = [
    "schema", "name", "inactive", "settings", "triggers", "steps",
];
const STEP_FIELDS: [&str; 7] = [
    "namespace",
    "runtime",
    "uses",
    "props",
    "disabled",
    "notes",
    // Names a state of the editor.
    "_props_cursor",
];
const RESERVED_PREFIX: &str = "PIPEDREAM_";
const MAX_STEP_NAME: usize = 64;

pub(in super::super) struct Translator<'a, 'b, 'c> {
    pub(in super::super) names: &'a Names<'a>,
    pub(in super::super) accounts: &'a mut Accounts<'b>,
    pub(in super::super) components: &'a mut Components<'c>,
    pub(in super::super) report: &'a mut Report,
}

/// The parts of a document while its steps are translated.
struct Draft<'a> {
    slug: &'a str,
    place: String,
    steps: Vec<Value>,
    files: BTreeMap<String, String>,
    env: BTreeSet<String>,
    notes: Vec<String>,
    /// Components of the user that steps name by key.
    components: BTreeMap<String, Code>,
    /// Whether a run would differ until something is done.
    needs_work: bool,
}

impl Translator<'_, '_, '_> {
    pub(in super::super) async fn add(
        &mut self,
        folder: &mut Folder,
        workflow: &SyncedWorkflow,
    ) -> anyhow::Result<()> {
        let names = self.names;
        let Some(slug) = names.workflow_at(&workflow.place) else {
            return Ok(());
        };
        let mut draft = Draft {
            slug,
            place: workflow_name(slug),
            steps: Vec::new(),
            files: BTreeMap::new(),
            env: BTreeSet::new(),
            notes: Vec::new(),
            components: std::mem::take(&mut folder.components),
            needs_work: false,
        };
        self.report_unknown(&workflow.document, &FIELDS, &draft.place);
        let steps = workflow.document.get("steps").and_then(Value::as_array);
        for step in steps.into_iter().flatten() {
            self.step(workflow, step, &mut draft).await?;
        }
        folder.components = std::mem::take(&mut draft.components);
        let triggers = Triggers {
            workflow,
            place: &draft.place,
            names,
            sources: &folder.sources,
            report: self.report,
        }
        .translate();
        let original = format!("workflows/{slug}/workflow.yaml");
        if draft.steps.is_empty() {
            self.report.keep_original(&original, &workflow.text);
            let text = "it has no active steps";
            self.report.add(Kind::NotImported, &draft.place, text);
            return Ok(());
        }
        let was_active = workflow.document.get("inactive") != Some(&json!(true));
        if draft.needs_work {
            self.report.keep_original(&original, &workflow.text);
            if was_active {
                let text = "it is inactive, because some of its steps need work: delete its state.yaml afterwards";
                self.report.add(Kind::Check, &draft.place, text);
            }
        }
        let settings = settings(workflow.document.get("settings"), &draft.place, self.report);
        let new = Workflow {
            document: self.document(workflow, &draft, triggers, settings),
            files: draft.files,
            active: was_active && !draft.needs_work,
        };
        folder.workflows.insert(slug.to_owned(), new);
        Ok(())
    }

    fn document(
        &mut self,
        workflow: &SyncedWorkflow,
        draft: &Draft<'_>,
        triggers: Vec<Value>,
        settings: Map<String, Value>,
    ) -> String {
        let mut document = Map::new();
        let mut put = |name: &str, value: Value| document.insert(name.to_owned(), value);
        put("name", json!(workflow.name()));
        if !draft.notes.is_empty() {
            put("description", json!(draft.notes.join("\n")));
        }
        let mut env = Map::new();
        for name in &draft.env {
            if name.starts_with(RESERVED_PREFIX) {
                let text = format!("expressions read process.env.{name}, which is not set here");
                self.report.add(Kind::NoEquivalent, &draft.place, text);
            } else {
                env.insert(name.clone(), json!({ "secret": true }));
                let secret = workflow_secret(draft.slug, name);
                self.report.secret(&secret, &draft.place);
            }
        }
        if !env.is_empty() {
            put("env", Value::Object(env));
        }
        if !triggers.is_empty() {
            put("triggers", Value::Array(triggers));
        }
        put("steps", Value::Array(draft.steps.clone()));
        if !settings.is_empty() {
            put("settings", Value::Object(settings));
        }
        yaml::to_text(&document)
    }

    async fn step(
        &mut self,
        workflow: &SyncedWorkflow,
        step: &Value,
        draft: &mut Draft<'_>,
    ) -> anyhow::Result<()> {
        let text = |field: &str| step.get(field).and_then(Value::as_str).unwrap_or_default();
        let given = text("namespace");
        let name = self.step_name(given, draft);
        let place = format!("{}, step {name}", draft.place);
        if let Some(fields) = step.as_object() {
            self.report_unknown(fields, &STEP_FIELDS, &place);
        }
        if !text("notes").is_empty() {
            draft.notes.push(format!("{name}: {}", text("notes")));
        }
        let uses = Uses::parse(text("uses"), text("runtime"));
        if step.get("disabled") == Some(&json!(true)) {
            self.keep_code(workflow, &uses, draft);
            let text = "the step is disabled and was left out";
            self.report.add(Kind::NotImported, &place, text);
            return Ok(());
        }
        let (field, value) = match self.code(workflow, &uses, &place, draft).await? {
            Ok(code) => code,
            Err((kind, reason)) => {
                self.keep_code(workflow, &uses, draft);
                self.report.add(kind, &place, &reason);
                draft.steps.push(placeholder(&name, &reason));
                draft.needs_work = true;
                return Ok(());
            }
        };
        let props = StepProps {
            step: &name,
            place: &place,
            app: match &uses {
                Uses::Registry(key) | Uses::Private(key) => app_of_key(key),
                _ => None,
            },
            declared: workflow.declared(given),
            accounts: self.accounts,
            report: self.report,
            env: &mut draft.env,
        }
        .translate(step.get("props"));
        let mut new = json!({ "name": name, field: value });
        if !props.is_empty() {
            new["props"] = Value::Object(props);
        }
        draft.steps.push(new);
        Ok(())
    }

    /// The field of a step with its code, or the reason why there is none.
    async fn code(
        &mut self,
        workflow: &SyncedWorkflow,
        uses: &Uses,
        place: &str,
        draft: &mut Draft<'_>,
    ) -> anyhow::Result<Result<(&'static str, String), (Kind, String)>> {
        Ok(match uses {
            Uses::Code(path) => match workflow.file(path) {
                Ok(code) => {
                    self.check_code(&code, place, draft);
                    draft.files.insert(path.clone(), code);
                    Ok(("file", format!("./{path}")))
                }
                Err(error) => Err((Kind::NotImported, format!("{path}: {error:#}"))),
            },
            Uses::Foreign(path) => Err((
                Kind::NoEquivalent,
                format!("steps are JavaScript or TypeScript here: rewrite {ORIGINALS}/workflows/{}/{path}", draft.slug),
            )),
            Uses::Registry(key) => {
                self.report.uses_registry(key, place);
                Ok(("action", key.clone()))
            }
            Uses::Private(key) => {
                let Found { origin, .. } = self.components.of_step(key).await?;
                if sources::runs(&mut draft.components, origin).is_none() {
                    let text = format!("it uses your component {key}, whose code the API does not give: publish it with `sluice publish`");
                    self.report.add(Kind::NotImported, place, text);
                }
                Ok(("action", key.clone()))
            }
            Uses::Unknown => Err((
                Kind::NoEquivalent,
                "a step without code, such as a branch or a loop, has no equivalent: write it as code".to_owned(),
            )),
        })
    }

    /// Reports the parts of code that work differently here.
    fn check_code(&mut self, code: &str, place: &str, draft: &mut Draft<'_>) {
        let own = |name: &String| !name.starts_with(RESERVED_PREFIX);
        for name in env_names(code).into_iter().filter(own) {
            let text = format!(
                "the code reads process.env.{name}, and code has no environment values here: declare a prop, and give it the value {{{{ process.env.{name} }}}} with `{name}: {{ secret: true }}` in env"
            );
            self.report.add(Kind::NoEquivalent, place, text);
            draft.needs_work = true;
        }
        for (call, hint) in missing_calls(code) {
            let text = format!("the code uses {call}, which does not exist here: {hint}");
            self.report.add(Kind::NoEquivalent, place, text);
            draft.needs_work = true;
        }
    }

    /// Keeps the code of a step that was not imported.
    fn keep_code(&mut self, workflow: &SyncedWorkflow, uses: &Uses, draft: &Draft<'_>) {
        if let Uses::Code(path) | Uses::Foreign(path) = uses
            && let Ok(code) = workflow.file(path)
        {
            let path = format!("workflows/{}/{path}", draft.slug);
            self.report.keep_original(&path, &code);
        }
    }

    /// A valid and unique name. Another name than the given one is reported.
    fn step_name(&mut self, given: &str, draft: &Draft<'_>) -> String {
        let plain: String = given
            .chars()
            .map(|character| {
                if character.is_ascii_alphanumeric() {
                    character
                } else {
                    '_'
                }
            })
            .take(MAX_STEP_NAME)
            .collect();
        let is_usable = |name: &str| {
            let begins = |first: char| first.is_ascii_alphabetic() || first == '_';
            let is_taken = draft.steps.iter().any(|step| step["name"] == name);
            name.starts_with(begins) && !is_taken && !["trigger", "__proto__"].contains(&name)
        };
        if plain == given && is_usable(given) {
            return plain;
        }
        let mut number = draft.steps.len() + 1;
        let mut name = format!("step_{number}");
        while !is_usable(&name) {
            number += 1;
            name = format!("step_{number}");
        }
        let text = format!(
            "the step {given:?} is called {name} here: change expressions that use its name"
        );
        self.report.add(Kind::Check, &draft.place, text);
        name
    }

    fn report_unknown(&mut self, fields: &Map<String, Value>, known: &[&str], place: &str) {
        for (name, value) in fields {
            if !known.contains(&name.as_str()) {
                let text = format!("the field {name} is not known and was left out: {value}");
                self.report.add(Kind::NotImported, place, text);
            }
        }
    }
}
