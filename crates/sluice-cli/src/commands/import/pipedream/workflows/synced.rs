//! One synced workflow: its files, and the details that the API adds.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use serde_json::{Map, Value};

use super::super::{
    api::{Api, ApiError},
    components::Declarations,
    listings::{id_of, shown},
    report::{Kind, Report},
};
use crate::{
    client::escaped,
    commands::{snapshot::to_files::is_inside, yaml},
};

const STATE: &str = ".workflow.state";
const MAX_CODE_BYTES: u64 = 10 << 20;

pub(in super::super) struct SyncedWorkflow {
    /// The path of the folder, as the user gave it.
    pub(in super::super) place: String,
    folder: PathBuf,
    id: Option<String>,
    /// The document as it was read.
    pub(super) text: String,
    pub(super) document: Map<String, Value>,
    /// The triggers that the API gave.
    triggers: Vec<Value>,
    /// The props of steps that the API gave, by namespace.
    declared: BTreeMap<String, Declarations>,
}

impl SyncedWorkflow {
    pub(super) fn read(path: &Path) -> anyhow::Result<SyncedWorkflow> {
        let text = fs::read_to_string(path)?;
        let document: Map<String, Value> = yaml::from_text(path, &text)?;
        if !document.get("steps").is_some_and(Value::is_array) {
            bail!("it has no list of steps");
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        Ok(SyncedWorkflow {
            place: folder.display().to_string(),
            folder: folder.to_owned(),
            id: id_in(folder),
            text,
            document,
            triggers: Vec::new(),
            declared: BTreeMap::new(),
        })
    }

    /// Whether both are the same workflow.
    pub(super) fn is(&self, other: &SyncedWorkflow) -> bool {
        self.place == other.place || (self.id.is_some() && self.id == other.id)
    }

    pub(in super::super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(in super::super) fn name(&self) -> String {
        let name = self.document.get("name").and_then(Value::as_str);
        let folder = self.folder.file_name().map(|name| name.to_string_lossy());
        shown(name, &folder.unwrap_or("workflow".into()))
    }

    /// The triggers that the API gave.
    pub(in super::super) fn triggers(&self) -> impl Iterator<Item = &Value> {
        self.triggers.iter()
    }

    /// The details of a trigger.
    pub(super) fn trigger(&self, id: &str) -> Option<&Value> {
        self.triggers
            .iter()
            .find(|trigger| id_of(trigger) == Some(id))
    }

    pub(super) fn declared(&self, step: &str) -> Option<&Declarations> {
        self.declared.get(step)
    }

    /// Reads the details of triggers and steps from the API.
    pub(in super::super) async fn fetch_details(
        &mut self,
        api: &Api,
        org: Option<&str>,
        report: &mut Report,
    ) -> Result<(), ApiError> {
        let Some(id) = &self.id else {
            let text = "the id of the workflow is not known (there is no .workflow.state), so the API was not asked for its triggers";
            report.add(Kind::Check, &self.place, text);
            return Ok(());
        };
        let query = org.map(|org| format!("?org_id={}", escaped(org)));
        let path = format!("/workflows/{}{}", escaped(id), query.unwrap_or_default());
        let Some(body) = api.find(&path).await? else {
            let text = format!(
                "the API does not give the workflow {id}, so the details of its triggers are not known"
            );
            report.add(Kind::Check, &self.place, text);
            return Ok(());
        };
        let body = body.get("data").unwrap_or(&body);
        let list = |name: &str| body.get(name).and_then(Value::as_array).cloned();
        self.triggers = list("triggers").unwrap_or_default();
        let steps = list("steps").unwrap_or_default();
        self.declared = steps.iter().filter_map(declarations).collect();
        Ok(())
    }

    /// The text of a file of the folder. Paths and links out of the folder are errors.
    pub(super) fn file(&self, path: &str) -> anyhow::Result<String> {
        if !is_inside(Path::new(path)) {
            bail!("the path leaves the folder of the workflow");
        }
        let folder = self.folder.canonicalize()?;
        let file = folder.join(path).canonicalize();
        let file = file.with_context(|| format!("the file {path} is not there"))?;
        if !file.starts_with(&folder) {
            bail!("the file is a link out of the folder of the workflow");
        }
        if fs::metadata(&file)?.len() > MAX_CODE_BYTES {
            bail!("the file is larger than 10 MB");
        }
        fs::read_to_string(&file).with_context(|| format!("the file {path} is not readable"))
    }
}

/// The id in `.workflow.state`, or at the end of the name of the folder.
fn id_in(folder: &Path) -> Option<String> {
    let path = folder.join(STATE);
    let state = fs::read_to_string(&path).ok();
    let state: Option<Map<String, Value>> =
        state.and_then(|text| yaml::from_text(&path, &text).ok());
    let of_state = state.and_then(|state| Some(state.get("id")?.as_str()?.to_owned()));
    of_state.or_else(|| {
        let name = folder.file_name()?.to_str()?;
        let (_, tail) = name.rsplit_once("-p_")?;
        Some(format!("p_{tail}"))
    })
}

fn declarations(step: &Value) -> Option<(String, Declarations)> {
    let namespace = step.get("namespace")?.as_str()?;
    let component = step.get("savedComponent")?;
    let rows = component.get("configurableProps")?.as_array()?;
    let rows: Vec<Map<String, Value>> = rows
        .iter()
        .filter_map(|row| row.as_object().cloned())
        .collect();
    Some((namespace.to_owned(), Declarations::of(&rows)))
}
