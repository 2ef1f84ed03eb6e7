//! Component code in local files, with the files that it imports.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use sluice_api::{Component, ComponentFiles, CreateComponent};
use sluice_code::{
    CodeTree, FileError, Files, Language, LinkOptions, LocalFiles, Location, ParsedModule,
    detect_language, link,
};
use sluice_model::CodeError;

const TYPESCRIPT: [&str; 3] = ["ts", "mts", "cts"];
/// The package prefix under which components import the apps of their tree.
const APP_PACKAGES: &str = "@pipedream/";
/// The extensions of code files.
pub(crate) const EXTENSIONS: [&str; 6] = ["mjs", "js", "cjs", "ts", "mts", "cts"];

/// A folder of code. Imports cannot leave it.
pub(crate) struct CodeFolder {
    root: PathBuf,
    files: LocalFiles,
}

/// Error messages, each with its location.
pub(crate) type CodeErrors = Vec<String>;

/// The code of a component, as it is sent to the server and shown by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Code {
    pub(crate) text: String,
    /// The files that it imports.
    pub(crate) files: Option<ComponentFiles>,
}

impl Code {
    pub(crate) fn of(component: &Component) -> Code {
        Code {
            text: component.code.clone(),
            files: component.files.clone(),
        }
    }

    /// The request that saves it.
    pub(crate) fn to_create(&self) -> CreateComponent {
        CreateComponent {
            component_code: Some(self.text.clone()),
            component_files: self.files.clone(),
            component_url: None,
        }
    }
}

/// Code in local files.
pub(crate) struct Module {
    pub(crate) code: Code,
    /// All files of the module.
    pub(crate) files: Vec<PathBuf>,
}

/// Reads the component in a local file, with its imports from the same tree.
pub(crate) async fn read_module(path: &Path) -> anyhow::Result<Result<Module, CodeErrors>> {
    let (folder, location) = CodeFolder::around(path)?;
    Ok(folder.module(location.as_str()).await)
}

/// As [`read_module`], but transforms the text of the file.
pub(crate) async fn read_transformed(
    path: &Path,
    transform: impl FnOnce(&str, Language) -> Result<String, CodeErrors>,
) -> anyhow::Result<Result<Module, CodeErrors>> {
    let (folder, location) = CodeFolder::around(path)?;
    let path = location.as_str();
    let transformed = folder
        .text(path)
        .and_then(|text| transform(&text, language_of(path, &text)));
    Ok(match transformed {
        Ok(text) => folder.module_of(path, text).await,
        Err(errors) => Err(errors),
    })
}

/// Reads a local file and its imports for the local runtime. `parse` parses the file itself.
pub(crate) async fn read_tree(
    path: &Path,
    parse: impl Fn(String, Option<Language>) -> Result<ParsedModule, Vec<CodeError>>,
) -> anyhow::Result<Result<CodeTree, CodeErrors>> {
    let (folder, location) = CodeFolder::around(path)?;
    let text = match folder.text(location.as_str()) {
        Ok(text) => text,
        Err(errors) => return Ok(Err(errors)),
    };
    let parsed = parse(text, language_by_name(location.as_str()));
    Ok(match parsed {
        Ok(module) => folder.link(&location, module, false).await,
        Err(errors) => Err(located(&errors, location.as_str())),
    })
}

impl CodeFolder {
    pub(crate) fn new(root: &Path) -> io::Result<CodeFolder> {
        Ok(CodeFolder {
            root: root.to_owned(),
            files: LocalFiles::new(root)?,
        })
    }

    /// The tree that contains a file, and its path in the tree.
    fn around(path: &Path) -> anyhow::Result<(CodeFolder, Location)> {
        let located = LocalFiles::around(path);
        let (files, location) =
            located.with_context(|| format!("cannot read {}", path.display()))?;
        let root = files.root().to_owned();
        Ok((CodeFolder { root, files }, location))
    }

    /// The code in a file, with the files that it imports.
    pub(crate) async fn module(&self, path: &str) -> Result<Module, CodeErrors> {
        let text = self.text(path)?;
        self.module_of(path, text).await
    }

    /// `text`, as if it were in the file `path`, with the files that it imports.
    async fn module_of(&self, path: &str, text: String) -> Result<Module, CodeErrors> {
        let imports = match ParsedModule::parse(text.as_str(), language_by_name(path)) {
            Ok(module) => self.other_files(path, module, true).await?,
            // The server reports syntax errors.
            Err(_) => BTreeMap::new(),
        };
        // The server detects the language of code without a name.
        let is_plain = imports.is_empty() && language_of(path, &text) == detect_language(&text);
        let mut files = vec![self.root.join(path)];
        files.extend(imports.keys().map(|import| self.root.join(import)));
        Ok(Module {
            code: Code {
                text,
                files: (!is_plain).then(|| ComponentFiles {
                    path: path.to_owned(),
                    files: imports,
                }),
            },
            files,
        })
    }

    /// The file and its imports, by path.
    pub(crate) async fn with_imports(
        &self,
        path: &str,
    ) -> Result<BTreeMap<String, String>, CodeErrors> {
        let text = self.text(path)?;
        let mut files = self.imports_of(path, &text).await?;
        files.insert(path.to_owned(), text);
        Ok(files)
    }

    /// The imports of `code`, as if it were in the file `path`.
    pub(crate) async fn imports_of(
        &self,
        path: &str,
        code: &str,
    ) -> Result<BTreeMap<String, String>, CodeErrors> {
        let Some(module) = self.with_file_imports(path, code) else {
            return Ok(BTreeMap::new());
        };
        self.other_files(path, module, false).await
    }

    async fn other_files(
        &self,
        path: &str,
        module: ParsedModule,
        sample: bool,
    ) -> Result<BTreeMap<String, String>, CodeErrors> {
        let tree = self.link(&Location::new(path), module, sample).await?;
        let others = tree.to_files().others.into_iter();
        Ok(others
            .map(|file| (file.link.location, file.text.to_string()))
            .collect())
    }

    /// The module, if it imports relative files or another app of the tree. Syntax errors are left to the server.
    fn with_file_imports(&self, path: &str, code: &str) -> Option<ParsedModule> {
        let module = ParsedModule::parse(code, language_by_name(path)).ok()?;
        let mut packages = module.packages().iter();
        let has_imports = module.relative_import().is_some()
            || packages.any(|package| {
                let app = package.request.name().strip_prefix(APP_PACKAGES);
                app.is_some_and(|app| self.files.app_folder(app).is_some())
            });
        has_imports.then_some(module)
    }

    fn text(&self, path: &str) -> Result<String, CodeErrors> {
        fs::read_to_string(self.root.join(path)).map_err(|error| {
            vec![match error.kind() {
                io::ErrorKind::NotFound => format!("{path}: no such file"),
                io::ErrorKind::InvalidData => format!("{path}: not UTF-8 text"),
                _ => format!("{path}: cannot read: {error}"),
            }]
        })
    }

    async fn link(
        &self,
        entry: &Location,
        module: ParsedModule,
        sample: bool,
    ) -> Result<CodeTree, CodeErrors> {
        let files = OverlayFiles {
            entry: entry.clone(),
            module,
            files: self.files.clone(),
        };
        let options = LinkOptions {
            sample,
            ..LinkOptions::default()
        };
        let linked = link(entry, files, options).await;
        linked.map_err(|errors| located(&errors, entry.as_str()))
    }
}

fn located(errors: &[CodeError], file: &str) -> CodeErrors {
    errors.iter().map(|error| error.located(file)).collect()
}

/// The files of a folder, with one of them replaced.
struct OverlayFiles {
    entry: Location,
    module: ParsedModule,
    files: LocalFiles,
}

impl Files for OverlayFiles {
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        self.files.locate(importer, specifier)
    }

    fn app_folder(&self, app: &str) -> Option<Location> {
        self.files.app_folder(app)
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        if *location == self.entry {
            return Ok(Some(self.module.code().to_string()));
        }
        self.files.read(location).await
    }

    fn parsed(&self, location: &Location) -> Option<ParsedModule> {
        (*location == self.entry).then(|| self.module.clone())
    }
}

fn language_of(path: &str, code: &str) -> Language {
    language_by_name(path).unwrap_or_else(|| detect_language(code))
}

/// The language of a file by its extension; others are detected.
fn language_by_name(path: &str) -> Option<Language> {
    let extension = Path::new(path).extension().unwrap_or_default();
    let mut typescript = TYPESCRIPT.iter();
    let is_typescript = typescript.any(|known| extension == *known);
    is_typescript.then_some(Language::TypeScript)
}
