//! Reading the files of a folder.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::{Deserialize, de::DeserializeOwned};

use crate::commands::{
    code::{Code, CodeErrors, CodeFolder, EXTENSIONS, Module},
    snapshot::{
        COMPONENTS,
        folder::{Folder, Runs, Source, Subscription, Workflow, default_true},
        source_file::{SourceFile, in_folder},
    },
    workflow_files::WorkflowFiles,
    yaml::{self, normalized},
};

/// `workflows/<slug>/state.yaml`: the state that is not part of the document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkflowState {
    #[serde(default = "default_true")]
    active: bool,
}

struct Reader<'a> {
    root: &'a Path,
    code: CodeFolder,
    /// The paths of components that have folders of their own, by the names of these folders.
    trees: BTreeMap<String, String>,
    errors: Vec<String>,
}

/// Reads a folder, or returns all errors in it.
pub(crate) async fn read(root: &Path) -> anyhow::Result<Result<Folder, Vec<String>>> {
    let code = CodeFolder::new(root)
        .with_context(|| format!("cannot read the folder {}", root.display()))?;
    let mut reader = Reader {
        root,
        code,
        trees: BTreeMap::new(),
        errors: Vec::new(),
    };
    let mut folder = Folder::default();
    reader.trees = reader.yaml(COMPONENTS).unwrap_or_default();
    for (stem, path) in reader.trees.clone() {
        let code = reader.code_in(&format!("components/{stem}"), &path).await;
        folder.components.extend(code.map(|code| (stem, code)));
    }
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
            let source = reader.source(&slug, &path).await;
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
    Ok(if reader.errors.is_empty() {
        Ok(folder)
    } else {
        Err(reader.errors)
    })
}

impl Reader<'_> {
    async fn code(&mut self, path: &str) -> Option<Code> {
        let read = self.code.module(path).await;
        self.checked("", read)
    }

    /// Code in a folder of its own, which its imports cannot leave.
    async fn code_in(&mut self, folder: &str, path: &str) -> Option<Code> {
        let read = match CodeFolder::new(&self.root.join(folder)) {
            Ok(code) => code.module(path).await,
            Err(error) => Err(vec![format!(": cannot read the folder: {error}")]),
        };
        self.checked(folder, read)
    }

    fn checked(&mut self, folder: &str, read: Result<Module, CodeErrors>) -> Option<Code> {
        // Each error begins with a path in the folder.
        let folder = self.root.join(folder);
        let with_folder = |error: String| folder.join(error).display().to_string();
        read.map_err(|errors| self.errors.extend(errors.into_iter().map(with_folder)))
            .ok()
            .map(|module| module.code)
    }

    /// The code at a path of the source `slug`. Files of an export are in a folder of their own.
    async fn code_of_source(&mut self, slug: &str, path: &str) -> Option<Code> {
        let of_source = path.strip_prefix(&format!("sources/{slug}/"));
        if let Some(below) = of_source {
            return self.code_in(&format!("sources/{slug}"), below).await;
        }
        let of_component = path.strip_prefix("components/").and_then(|below| {
            let (stem, below) = below.split_once('/')?;
            self.trees.contains_key(stem).then_some((stem, below))
        });
        match of_component {
            Some((stem, below)) => self.code_in(&format!("components/{stem}"), below).await,
            None => self.code(path).await,
        }
    }

    async fn source(&mut self, slug: &str, path: &Path) -> Option<Source> {
        let file: SourceFile = self.parsed(path)?;
        let retention = file.retention();
        let runs = match (file.component, file.key) {
            (Some(component), None) => {
                let Some(path_in_folder) = in_folder(&component) else {
                    self.error(
                        path,
                        &format!("component: {component} is outside of the folder"),
                    );
                    return None;
                };
                Runs::File {
                    code: self.code_of_source(slug, &path_in_folder).await?,
                    path: path_in_folder,
                }
            }
            (None, Some(key)) => Runs::Registry(key),
            (None, None) => {
                self.error(path, "component or key is required");
                return None;
            }
            (Some(_), Some(_)) => {
                self.error(path, "component and key exclude each other");
                return None;
            }
        };
        let props = file.props.into_iter();
        Some(Source {
            name: file.name,
            runs,
            active: file.active,
            props: props
                .map(|(name, value)| (name, normalized(value)))
                .collect(),
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
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        }
    }

    /// Parses a file of the folder. `None` if it does not exist or has an error.
    fn yaml<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let path = self.root.join(name);
        path.is_file().then(|| self.parsed(&path)).flatten()
    }

    fn parsed<T: DeserializeOwned>(&mut self, path: &Path) -> Option<T> {
        let read = fs::read_to_string(path)
            .with_context(|| path.display().to_string())
            .and_then(|text| yaml::from_text(path, &text));
        read.map_err(|error| self.errors.push(format!("{error:#}")))
            .ok()
    }

    fn error(&mut self, path: &Path, message: &str) {
        self.errors.push(format!("{}: {message}", path.display()));
    }
}

/// The entries of a folder, by name. Empty if the folder does not exist.
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

/// The stem and extension of a file that is not hidden.
fn file_name(path: &Path) -> Option<(String, String)> {
    let (stem, extension) = (path.file_stem()?.to_str()?, path.extension()?.to_str()?);
    let is_visible = path.is_file() && !stem.starts_with('.');
    is_visible.then(|| (stem.to_owned(), extension.to_owned()))
}
