//! The checkout: which of its folders are apps, and which of their files may be components.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail};
use parking_lot::Mutex;
use sluice_code::{Language, LocalFiles, looks_like_component};
use sluice_model::code_hash;

use crate::exit::NotFound;

const KINDS: [&str; 2] = ["sources", "actions"];
const EXTENSIONS: [&str; 5] = ["mjs", "js", "cjs", "ts", "mts"];
/// What the file with a sample event is called.
const SAMPLE: &str = "test-event";
/// Folders in which nobody looks for components.
const NOT_COMPONENTS: [&str; 7] = [
    "common",
    "node_modules",
    "test",
    "tests",
    "__tests__",
    "dist",
    "examples",
];

/// The folder that holds the folders of apps.
pub(super) struct Tree {
    root: PathBuf,
    pub(super) files: LocalFiles,
    /// The apps that are asked for; none for all.
    apps: Option<BTreeSet<String>>,
    /// What was found out about files, by path.
    hashes: Mutex<BTreeMap<String, Option<Arc<str>>>>,
}

impl Tree {
    pub(super) fn at(folder: &Path, apps: &[String]) -> anyhow::Result<Tree> {
        let found = folder.canonicalize();
        let folder = found.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                NotFound(format!("there is no folder {}", folder.display())).into()
            }
            _ => anyhow::Error::new(error).context(format!("cannot read {}", folder.display())),
        })?;
        if !folder.is_dir() {
            bail!(
                "{} is a file: give the folder that holds the folders of apps",
                folder.display()
            );
        }
        let mut apps: Option<BTreeSet<String>> =
            (!apps.is_empty()).then(|| apps.iter().cloned().collect());
        let root = if is_app(&folder) {
            let name = folder.file_name().map(|name| name.to_string_lossy());
            apps = Some(name.into_iter().map(String::from).collect());
            folder.parent().map_or(folder.clone(), Path::to_owned)
        } else if folder.join("components").is_dir() && !has_apps(&folder) {
            folder.join("components")
        } else {
            folder
        };
        for app in apps.iter().flatten() {
            if !root.join(app).is_dir() {
                return Err(
                    NotFound(format!("there is no app {app} in {}", root.display())).into(),
                );
            }
        }
        let files =
            LocalFiles::new(&root).with_context(|| format!("cannot read {}", root.display()))?;
        Ok(Tree {
            root,
            files,
            apps,
            hashes: Mutex::default(),
        })
    }

    /// What the server calls it, when it is given no name.
    pub(super) fn name(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// Whether a path is in one of the apps that are asked for.
    pub(super) fn covers(&self, path: &str) -> bool {
        let app = path.split('/').next().unwrap_or_default();
        self.apps.as_ref().is_none_or(|apps| apps.contains(app))
    }

    /// All files of code among the components, in order of their paths.
    pub(super) fn files(&self) -> anyhow::Result<Vec<String>> {
        let mut found = Vec::new();
        for app in folders(&self.root)? {
            if self.covers(&app) {
                for kind in KINDS {
                    self.walk(&format!("{app}/{kind}"), &mut found)?;
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn walk(&self, folder: &str, found: &mut Vec<String>) -> anyhow::Result<()> {
        let path = self.root.join(folder);
        let Ok(entries) = fs::read_dir(&path) else {
            return Ok(());
        };
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let inside = format!("{folder}/{name}");
            if entry.path().is_dir() {
                if !NOT_COMPONENTS.contains(&name.as_str()) && !name.starts_with('.') {
                    self.walk(&inside, found)?;
                }
            } else if is_code(&name) {
                found.push(inside);
            }
        }
        Ok(())
    }

    /// Whether a file has the looks of a component. One that cannot be read is reported later.
    pub(super) fn has_component(&self, path: &str) -> bool {
        if Path::new(path)
            .file_stem()
            .is_some_and(|stem| stem == SAMPLE)
        {
            return false;
        }
        let Ok(code) = fs::read_to_string(self.root.join(path)) else {
            return true;
        };
        let language = is_typescript(path).then_some(Language::TypeScript);
        looks_like_component(&code, language)
    }

    /// The hash of a file's text; none when there is no such file. Each is read once.
    pub(super) fn hash(&self, path: &str) -> Option<Arc<str>> {
        if let Some(known) = self.hashes.lock().get(path) {
            return known.clone();
        }
        let text = fs::read(self.root.join(path)).ok();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        let hash = text.map(|text| Arc::from(code_hash(&text)));
        self.hashes.lock().insert(path.to_owned(), hash.clone());
        hash
    }

    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.root.join(path).is_dir()
    }
}

pub(super) fn is_typescript(path: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension == "ts" || extension == "mts")
}

fn folders(root: &Path) -> anyhow::Result<Vec<String>> {
    let unreadable = || format!("cannot read {}", root.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(root).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        if entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn is_app(folder: &Path) -> bool {
    KINDS.iter().any(|kind| folder.join(kind).is_dir())
}

fn has_apps(folder: &Path) -> bool {
    folders(folder).is_ok_and(|names| names.iter().any(|name| is_app(&folder.join(name))))
}

fn is_code(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let other = [".test", ".spec", ".d", ".app"];
    EXTENSIONS.contains(&extension) && !other.iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_code_may_be_components_and_tests_types_and_apps_are_not() {
        for name in ["a.mjs", "a.js", "a.cjs", "a.ts", "a.mts", "new-item.v2.mjs"] {
            assert!(is_code(name), "{name}");
        }
        for name in [
            "a.json",
            "a.d.ts",
            "a.test.mjs",
            "a.spec.ts",
            "README",
            "acme.app.mjs",
        ] {
            assert!(!is_code(name), "{name}");
        }
    }

    #[test]
    fn the_root_is_found_from_above_and_from_an_app() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("components");
        fs::create_dir_all(root.join("acme/sources")).expect("a folder");
        fs::create_dir_all(root.join("bolt/actions")).expect("a folder");
        let canonical = root.canonicalize().expect("it exists");
        for (given, covers_bolt) in [
            (folder.path().to_owned(), true),
            (root.clone(), true),
            (root.join("acme"), false),
        ] {
            let tree = Tree::at(&given, &[]).expect("a tree");
            assert_eq!(tree.root, canonical);
            assert!(tree.covers("acme/sources/a.mjs"));
            assert_eq!(tree.covers("bolt/actions/b.mjs"), covers_bolt);
        }
        assert!(Tree::at(&root, &["crane".to_owned()]).is_err());
    }
}
