//! From files to what they say.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    folder::{Folder, Runs, Source, Subscription, Workflow, yes},
    source_file::{SourceFile, in_folder},
};
use crate::commands::{
    code::{CodeFolder, EXTENSIONS},
    workflow_files::WorkflowFiles,
    yaml::{self, normal},
};

/// `workflows/<slug>/state.yaml`: what a document does not say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkflowState {
    #[serde(default = "yes")]
    active: bool,
}

struct Reader<'a> {
    root: &'a Path,
    code: CodeFolder,
    mistakes: Vec<String>,
}

/// Reads a whole folder, or tells every mistake in it.
pub(crate) async fn read(root: &Path) -> anyhow::Result<Result<Folder, Vec<String>>> {
    let code = CodeFolder::new(root)
        .with_context(|| format!("the folder {} cannot be read", root.display()))?;
    let mut reader = Reader {
        root,
        code,
        mistakes: Vec::new(),
    };
    let mut folder = Folder::default();
    for path in entries(&root.join("components"))? {
        let Some((stem, extension)) = file_name(&path) else {
            continue;
        };
        if EXTENSIONS.contains(&extension.as_str()) {
            let code = reader.code(&format!("components/{stem}.{extension}")).await;
            folder.components.extend(code.map(|code| (stem, code)));
        }
    }
    for path in entries(&root.join("sources"))? {
        if let Some((slug, extension)) = file_name(&path)
            && extension == "yaml"
        {
            let source = reader.source(&path).await;
            folder.sources.extend(source.map(|source| (slug, source)));
        }
    }
    for path in entries(&root.join("workflows"))? {
        let document = path.join("workflow.yaml");
        if document.is_file()
            && let Some(slug) = path.file_name().and_then(|name| name.to_str())
        {
            let workflow = reader.workflow(&path, &document).await;
            let named = workflow.map(|workflow| (slug.to_owned(), workflow));
            folder.workflows.extend(named);
        }
    }
    folder.webhooks = reader.yaml("webhooks.yaml").unwrap_or_default();
    let subscriptions: Option<Vec<Subscription>> = reader.yaml("subscriptions.yaml");
    folder.subscriptions = subscriptions.into_iter().flatten().collect();
    Ok(if reader.mistakes.is_empty() {
        Ok(folder)
    } else {
        Err(reader.mistakes)
    })
}

impl Reader<'_> {
    async fn code(&mut self, path: &str) -> Option<String> {
        match self.code.module(path).await {
            Ok(module) => Some(module.code),
            Err(faults) => {
                let shown = |fault: String| self.root.join(fault).display().to_string();
                self.mistakes.extend(faults.into_iter().map(shown));
                None
            }
        }
    }

    async fn source(&mut self, path: &Path) -> Option<Source> {
        let file: SourceFile = self.parsed(path)?;
        let retention = file.retention();
        let runs = match (file.component, file.key) {
            (Some(component), None) => {
                let Some(path_in_folder) = in_folder(&component) else {
                    self.mistake(
                        path,
                        &format!("component: {component} is outside of the folder"),
                    );
                    return None;
                };
                Runs::File {
                    code: self.code(&path_in_folder).await?,
                    path: path_in_folder,
                }
            }
            (None, Some(key)) => Runs::Registry(key),
            (None, None) => {
                self.mistake(path, "one of component and key is required");
                return None;
            }
            (Some(_), Some(_)) => {
                self.mistake(path, "give component or key, not both");
                return None;
            }
        };
        let props = file.props.into_iter();
        Some(Source {
            name: file.name,
            runs,
            active: file.active,
            props: props.map(|(name, value)| (name, normal(value))).collect(),
            retention,
        })
    }

    async fn workflow(&mut self, folder: &Path, document: &Path) -> Option<Workflow> {
        let state = folder.join("state.yaml");
        let active = if state.is_file() {
            self.parsed::<WorkflowState>(&state)?.active
        } else {
            true
        };
        match WorkflowFiles::read(document).await {
            Ok(WorkflowFiles { text, files, .. }) => Some(Workflow {
                document: text,
                files,
                active,
            }),
            Err(mistakes) => {
                self.mistakes.extend(mistakes);
                None
            }
        }
    }

    /// A file of the folder; none when it is not there, or wrong.
    fn yaml<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let path = self.root.join(name);
        path.is_file().then(|| self.parsed(&path)).flatten()
    }

    fn parsed<T: DeserializeOwned>(&mut self, path: &Path) -> Option<T> {
        let read = fs::read_to_string(path)
            .with_context(|| path.display().to_string())
            .and_then(|text| yaml::from_text(path, &text));
        read.map_err(|error| self.mistakes.push(format!("{error:#}")))
            .ok()
    }

    fn mistake(&mut self, path: &Path, message: &str) {
        self.mistakes.push(format!("{}: {message}", path.display()));
    }
}

/// What is in a folder, in order of name; nothing when there is none.
fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", folder.display()));
        }
    };
    let mut paths = listed
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// The name of a file that is not hidden, and its extension.
fn file_name(path: &Path) -> Option<(String, String)> {
    let (stem, extension) = (path.file_stem()?.to_str()?, path.extension()?.to_str()?);
    let shown = path.is_file() && !stem.starts_with('.');
    shown.then(|| (stem.to_owned(), extension.to_owned()))
}
