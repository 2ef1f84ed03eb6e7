//! Component code in local files, with the files that it imports.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde_json::Value;
use sluice_code::{
    Bundle, BundleOptions, FileError, Files, Language, LocalFiles, Location, ParsedModule,
    SourceMap, bundle, detect_language, with_inline_map,
};

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

/// A component in one module.
pub(crate) struct Module {
    /// Without the source map, as the server shows it.
    pub(crate) code: String,
    /// The source map of bundled or compiled code.
    map: Option<String>,
    /// All files of the module.
    pub(crate) files: Vec<PathBuf>,
}

impl Module {
    /// The code to send to the server. The source map maps the lines of errors to the original files.
    pub(crate) fn code_with_map(&self) -> String {
        match &self.map {
            Some(map) => with_inline_map(&self.code, map),
            None => self.code.clone(),
        }
    }

    /// Whether its lines differ from those of the original file.
    pub(crate) fn is_bundled(&self) -> bool {
        self.map.is_some()
    }

    /// The code for the test runner, which shows the URLs of the source map as they are.
    pub(crate) fn code_for_tests(&self) -> String {
        let Some(map) = &self.map else {
            return self.code.clone();
        };
        let mut map: Value = serde_json::from_str(map).unwrap_or_default();
        if let Some(Value::Array(sources)) = map.get_mut("sources") {
            for source in sources {
                let path = source.as_str().unwrap_or_default();
                *source = format!("sluice:///{path}").into();
            }
        }
        with_inline_map(&self.code, &map.to_string())
    }
}

/// Reads the component in a local file, with its imports from the same tree.
pub(crate) async fn read_module(path: &Path) -> anyhow::Result<Result<Module, CodeErrors>> {
    let (folder, location) = CodeFolder::around(path)?;
    Ok(folder.module(location.as_str()).await)
}

/// As [`read_module`], but transforms the file before it is bundled with its imports.
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
        Ok(text) => {
            folder
                .module_or_bundle(path, text, CodeFolder::is_self_contained)
                .await
        }
        Err(errors) => Err(errors),
    })
}

/// As [`read_module`], but always as JavaScript, for the local runtime.
pub(crate) async fn read_javascript(path: &Path) -> anyhow::Result<Result<Module, CodeErrors>> {
    let (folder, location) = CodeFolder::around(path)?;
    let path = location.as_str();
    let is_ready = |folder: &CodeFolder, path: &str, code: &str| {
        folder.is_self_contained(path, code) && language_of(path, code) == Language::JavaScript
    };
    Ok(match folder.text(path) {
        Ok(text) => folder.module_or_bundle(path, text, is_ready).await,
        Err(errors) => Err(errors),
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

    /// The code in a file. It is bundled if it imports files, or if the server could not detect its language.
    pub(crate) async fn module(&self, path: &str) -> Result<Module, CodeErrors> {
        let text = self.text(path)?;
        self.module_or_bundle(path, text, CodeFolder::is_self_contained)
            .await
    }

    /// The code of a file as it is if it `is_ready`, else as a bundle.
    async fn module_or_bundle(
        &self,
        path: &str,
        text: String,
        is_ready: impl Fn(&CodeFolder, &str, &str) -> bool,
    ) -> Result<Module, CodeErrors> {
        if is_ready(self, path, &text) {
            return Ok(Module {
                code: text,
                map: None,
                files: vec![self.root.join(path)],
            });
        }
        let Bundle {
            code, files, map, ..
        } = self.bundle(path, text).await?;
        Ok(Module {
            code,
            map,
            files: files.iter().map(|file| self.files.path(file)).collect(),
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
        let mut imported = BTreeMap::new();
        if !self.has_imports(path, code) {
            return Ok(imported);
        }
        for location in self.bundle(path, code.to_owned()).await?.files {
            if location.as_str() != path {
                imported.insert(location.to_string(), self.text(location.as_str())?);
            }
        }
        Ok(imported)
    }

    /// Whether the server accepts the file without bundling.
    fn is_self_contained(&self, path: &str, code: &str) -> bool {
        language_of(path, code) == detect_language(code) && !self.has_imports(path, code)
    }

    /// Whether code imports relative files, or another app of the tree. Syntax errors are left to the server.
    fn has_imports(&self, path: &str, code: &str) -> bool {
        let Ok(module) = ParsedModule::parse(code, language_by_name(path)) else {
            return false;
        };
        let mut packages = module.packages().iter();
        module.relative_import().is_some()
            || packages.any(|package| {
                let app = package.request.name().strip_prefix(APP_PACKAGES);
                app.is_some_and(|app| self.files.app_folder(app).is_some())
            })
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

    async fn bundle(&self, path: &str, text: String) -> Result<Bundle, CodeErrors> {
        let entry = Location::new(path);
        let files = OverlayFiles {
            entry: entry.clone(),
            text,
            files: self.files.clone(),
        };
        let options = BundleOptions {
            source_map: Some(SourceMap::NamesOnly),
            ..BundleOptions::default()
        };
        let bundled = bundle(&entry, files, options).await;
        bundled.map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }
}

/// The files of a folder, with the text of one of them replaced.
struct OverlayFiles {
    entry: Location,
    text: String,
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
            return Ok(Some(self.text.clone()));
        }
        self.files.read(location).await
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
