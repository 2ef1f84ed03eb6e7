//! Code in files of this machine, with the files that it imports.

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
/// What apps of a tree are imported as.
const APP_PACKAGES: &str = "@pipedream/";
/// What a file of code may be called.
pub(crate) const EXTENSIONS: [&str; 6] = ["mjs", "js", "cjs", "ts", "mts", "cts"];

/// A folder, from which nothing outside can be imported.
pub(crate) struct CodeFolder {
    root: PathBuf,
    files: LocalFiles,
}

/// What is wrong, each with its place.
pub(crate) type Faults = Vec<String>;

/// A component in one module.
pub(crate) struct Module {
    /// As the server will show it.
    pub(crate) code: String,
    /// A source map, when the code is not what its author wrote.
    map: Option<String>,
    /// Every file it is made of.
    pub(crate) files: Vec<PathBuf>,
}

impl Module {
    /// What goes to the server: with its source map, so that errors have the lines of the author.
    pub(crate) fn sent(&self) -> String {
        match &self.map {
            Some(map) => with_inline_map(&self.code, map),
            None => self.code.clone(),
        }
    }

    /// Whether its lines are not those of one file.
    pub(crate) fn is_built(&self) -> bool {
        self.map.is_some()
    }

    /// What tests run: its files have addresses, which the test runner shows as they are.
    pub(crate) fn tested(&self) -> String {
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

/// The component in a file of this machine, which may import what is in its tree.
pub(crate) async fn read_module(path: &Path) -> anyhow::Result<Result<Module, Faults>> {
    let (folder, location) = CodeFolder::around(path)?;
    Ok(folder.module(location.as_str()).await)
}

/// As [`read_module`], with the file itself changed before it is joined with what it imports.
pub(crate) async fn read_changed(
    path: &Path,
    change: impl FnOnce(&str, Language) -> Result<String, Faults>,
) -> anyhow::Result<Result<Module, Faults>> {
    let (folder, location) = CodeFolder::around(path)?;
    let path = location.as_str();
    let changed = folder
        .text(path)
        .and_then(|text| change(&text, language_of(path, &text)));
    Ok(match changed {
        Ok(text) => folder.module_unless(path, text, CodeFolder::is_whole).await,
        Err(faults) => Err(faults),
    })
}

/// As [`read_module`], in JavaScript whatever it is written in: what runs on this machine.
pub(crate) async fn read_javascript(path: &Path) -> anyhow::Result<Result<Module, Faults>> {
    let (folder, location) = CodeFolder::around(path)?;
    let path = location.as_str();
    let is_ready = |folder: &CodeFolder, path: &str, code: &str| {
        folder.is_whole(path, code) && language_of(path, code) == Language::JavaScript
    };
    Ok(match folder.text(path) {
        Ok(text) => folder.module_unless(path, text, is_ready).await,
        Err(faults) => Err(faults),
    })
}

impl CodeFolder {
    pub(crate) fn new(root: &Path) -> io::Result<CodeFolder> {
        Ok(CodeFolder {
            root: root.to_owned(),
            files: LocalFiles::new(root)?,
        })
    }

    /// The tree that a file stands in, and where.
    fn around(path: &Path) -> anyhow::Result<(CodeFolder, Location)> {
        let found = LocalFiles::around(path);
        let (files, location) = found.with_context(|| format!("cannot read {}", path.display()))?;
        let root = files.root().to_owned();
        Ok((CodeFolder { root, files }, location))
    }

    /// The code in a file, as one module when it imports others, or when the server could not tell its language.
    pub(crate) async fn module(&self, path: &str) -> Result<Module, Faults> {
        let text = self.text(path)?;
        self.module_unless(path, text, CodeFolder::is_whole).await
    }

    /// The code of a file, made into a module unless it `is_ready` as it is.
    async fn module_unless(
        &self,
        path: &str,
        text: String,
        is_ready: impl Fn(&CodeFolder, &str, &str) -> bool,
    ) -> Result<Module, Faults> {
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

    /// The file and all that it imports, by their paths.
    pub(crate) async fn with_imports(
        &self,
        path: &str,
    ) -> Result<BTreeMap<String, String>, Faults> {
        let text = self.text(path)?;
        let mut files = self.imports_of(path, &text).await?;
        files.insert(path.to_owned(), text);
        Ok(files)
    }

    /// All that `code` imports, as if it stood in the file `path`.
    pub(crate) async fn imports_of(
        &self,
        path: &str,
        code: &str,
    ) -> Result<BTreeMap<String, String>, Faults> {
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

    /// Whether the server can take a file as it is.
    fn is_whole(&self, path: &str, code: &str) -> bool {
        language_of(path, code) == detect_language(code) && !self.has_imports(path, code)
    }

    /// Whether code imports files beside it, or those of another app of the tree. Mistakes in code are the server's to tell.
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

    fn text(&self, path: &str) -> Result<String, Faults> {
        fs::read_to_string(self.root.join(path)).map_err(|error| {
            vec![match error.kind() {
                io::ErrorKind::NotFound => format!("{path}: there is no such file"),
                io::ErrorKind::InvalidData => format!("{path}: it is not UTF-8 text"),
                _ => format!("{path}: it cannot be read: {error}"),
            }]
        })
    }

    async fn bundle(&self, path: &str, text: String) -> Result<Bundle, Faults> {
        let entry = Location::new(path);
        let files = WithEntry {
            entry: entry.clone(),
            text,
            files: self.files.clone(),
        };
        let options = BundleOptions {
            source_map: Some(SourceMap::NamesOnly),
            ..BundleOptions::default()
        };
        let made = bundle(&entry, files, options).await;
        made.map_err(|faults| faults.iter().map(ToString::to_string).collect())
    }
}

/// Files of a folder, and one that need not be there.
struct WithEntry {
    entry: Location,
    text: String,
    files: LocalFiles,
}

impl Files for WithEntry {
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
