//! A workflow in files: its document, and the code of its steps.

use std::{collections::BTreeMap, fs, path::Path};

use sluice_model::workflow::{Document, DocumentError, PathPart, StepCode, parse};

use super::code::CodeFolder;

pub(crate) struct WorkflowFiles {
    pub(crate) text: String,
    pub(crate) document: Document,
    /// By path, relative to the document.
    pub(crate) files: BTreeMap<String, String>,
}

impl WorkflowFiles {
    /// Reads the document at `path`, and the files that its steps name and import. All errors are reported, in the format
    /// of a compiler.
    pub(crate) async fn read(path: &Path) -> Result<WorkflowFiles, Vec<String>> {
        let shown = path.display();
        let text = fs::read_to_string(path).map_err(|error| vec![format!("{shown}: {error}")])?;
        let (document, locations) = parse(&text).map_err(|errors| {
            let lines = errors.iter().map(|error| error_line(path, error));
            lines.collect::<Vec<_>>()
        })?;
        let beside = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let folder = CodeFolder::new(beside).map_err(|error| vec![format!("{shown}: {error}")])?;
        let mut files = BTreeMap::new();
        let mut errors = Vec::new();
        for (index, step) in document.steps.iter().enumerate() {
            let (field, read) = match &step.code {
                StepCode::Inline(code) => {
                    let name = format!("{}.js", step.name);
                    ("code", folder.imports_of(&name, code).await)
                }
                StepCode::File(file) => ("file", folder.with_imports(file).await),
                StepCode::Action(_) => continue,
            };
            match read {
                Ok(read) => files.extend(read),
                Err(messages) => errors.extend(messages.into_iter().map(|message| {
                    let at = [PathPart::Key("steps"), index.into(), PathPart::Key(field)];
                    error_line(path, &locations.error(&at, message))
                })),
            }
        }
        if errors.is_empty() {
            Ok(WorkflowFiles {
                text,
                document,
                files,
            })
        } else {
            Err(errors)
        }
    }
}

/// `file.yaml:12:5: steps[1].props.url: …`
pub(crate) fn error_line(file: &Path, error: &DocumentError) -> String {
    let DocumentError {
        line,
        column,
        path,
        message,
        ..
    } = error;
    let path = if path.is_empty() {
        String::new()
    } else {
        format!("{path}: ")
    };
    format!("{}:{line}:{column}: {path}{message}", file.display())
}
