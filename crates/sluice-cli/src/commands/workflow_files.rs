//! A workflow in files: its document, and the code that its steps are made of.

use std::{collections::BTreeMap, fs, path::Path};

use sluice_model::workflow::{Document, DocumentError, PathPart, StepCode, parse};

use super::code::CodeFolder;

pub(crate) struct WorkflowFiles {
    pub(crate) text: String,
    pub(crate) document: Document,
    /// By their paths beside the document.
    pub(crate) files: BTreeMap<String, String>,
}

impl WorkflowFiles {
    /// Reads the document at `path`, and the files that its steps name and import. Every mistake is told like a compiler's.
    pub(crate) async fn read(path: &Path) -> Result<WorkflowFiles, Vec<String>> {
        let shown = path.display();
        let text = fs::read_to_string(path).map_err(|error| vec![format!("{shown}: {error}")])?;
        let (document, places) = parse(&text).map_err(|faults| {
            let told = faults.iter().map(|fault| mistake(path, fault));
            told.collect::<Vec<_>>()
        })?;
        let beside = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let folder = CodeFolder::new(beside).map_err(|error| vec![format!("{shown}: {error}")])?;
        let mut files = BTreeMap::new();
        let mut mistakes = Vec::new();
        for (index, step) in document.steps.iter().enumerate() {
            let (field, found) = match &step.code {
                StepCode::Inline(code) => {
                    let name = format!("{}.js", step.name);
                    ("code", folder.imports_of(&name, code).await)
                }
                StepCode::File(file) => ("file", folder.with_imports(file).await),
                StepCode::Action(_) => continue,
            };
            match found {
                Ok(found) => files.extend(found),
                Err(faults) => mistakes.extend(faults.into_iter().map(|message| {
                    let at = [PathPart::Key("steps"), index.into(), PathPart::Key(field)];
                    mistake(path, &places.error(&at, message))
                })),
            }
        }
        if mistakes.is_empty() {
            Ok(WorkflowFiles {
                text,
                document,
                files,
            })
        } else {
            Err(mistakes)
        }
    }
}

/// `file.yaml:12:5: steps[1].props.url: …`
pub(crate) fn mistake(file: &Path, fault: &DocumentError) -> String {
    let DocumentError {
        line,
        column,
        path,
        message,
        ..
    } = fault;
    let path = if path.is_empty() {
        String::new()
    } else {
        format!("{path}: ")
    };
    format!("{}:{line}:{column}: {path}{message}", file.display())
}
