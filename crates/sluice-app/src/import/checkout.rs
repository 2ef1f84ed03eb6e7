//! The checkout: its apps, and the files that may be components.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_code::{Language, LocalFiles, is_sample, looks_like_component, sample_paths};
use sluice_model::code_hash;

const KINDS: [&str; 2] = ["sources", "actions"];
const EXTENSIONS: [&str; 5] = ["mjs", "js", "cjs", "ts", "mts"];
/// Folders without components.
const IGNORED_FOLDERS: [&str; 7] = [
    "common",
    "node_modules",
    "test",
    "tests",
    "__tests__",
    "dist",
    "examples",
];

/// How many folders an archive may have around the apps.
const MAX_OUTER_FOLDERS: usize = 3;

#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    #[error("no folder {0}")]
    NoFolder(PathBuf),
    #[error("{0} is a file: name the folder that contains the folders of apps")]
    NoDirectory(PathBuf),
    #[error("no app {app} in {root}")]
    NoApp { app: String, root: PathBuf },
    #[error("cannot read {path}: {error}")]
    Unreadable { path: PathBuf, error: io::Error },
}

/// The folder that contains the folders of apps.
pub struct Checkout {
    root: PathBuf,
    pub(super) files: LocalFiles,
    /// The selected apps. `None` for all.
    apps: Option<BTreeSet<String>>,
    /// The hashes of files by path, as a cache.
    hashes: Mutex<BTreeMap<String, Option<Arc<str>>>>,
}

impl Checkout {
    /// The checkout in a folder: one of apps, one with a folder `components`, or a single app.
    pub fn at(folder: &Path, apps: &[String]) -> Result<Checkout, CheckoutError> {
        let folder = folder.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CheckoutError::NoFolder(folder.to_owned()),
            _ => unreadable(folder, error),
        })?;
        if !folder.is_dir() {
            return Err(CheckoutError::NoDirectory(folder));
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
                let app = app.clone();
                return Err(CheckoutError::NoApp { app, root });
            }
        }
        let files = LocalFiles::new(&root).map_err(|error| unreadable(&root, error))?;
        Ok(Checkout {
            root,
            files,
            apps,
            hashes: Mutex::default(),
        })
    }

    /// The checkout in an unpacked archive, which may have a folder around it.
    pub(super) fn unpacked(folder: &Path, apps: &[String]) -> Result<Checkout, CheckoutError> {
        let mut folder = folder.to_owned();
        for _ in 0..MAX_OUTER_FOLDERS {
            if is_app(&folder) || has_apps(&folder) || folder.join("components").is_dir() {
                break;
            }
            let inner = folders(&folder).map_err(|error| unreadable(&folder, error))?;
            let [only] = inner.as_slice() else { break };
            folder.push(only);
        }
        Checkout::at(&folder, apps)
    }

    /// The folder that contains the folders of apps.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The selected apps. `None` for all.
    pub fn apps(&self) -> Option<&BTreeSet<String>> {
        self.apps.as_ref()
    }

    /// Whether a path is in one of the selected apps.
    pub(super) fn covers(&self, path: &str) -> bool {
        let app = path.split('/').next().unwrap_or_default();
        self.apps.as_ref().is_none_or(|apps| apps.contains(app))
    }

    /// All code files of the selected apps, by path.
    pub fn files(&self) -> io::Result<Vec<String>> {
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

    fn walk(&self, folder: &str, found: &mut Vec<String>) -> io::Result<()> {
        let path = self.root.join(folder);
        let Ok(entries) = fs::read_dir(&path) else {
            return Ok(());
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let inside = format!("{folder}/{name}");
            if entry.path().is_dir() {
                if !IGNORED_FOLDERS.contains(&name.as_str()) && !name.starts_with('.') {
                    self.walk(&inside, found)?;
                }
            } else if is_code(&name) {
                found.push(inside);
            }
        }
        Ok(())
    }

    /// Whether a file looks like a component. An unreadable file counts as one, and is reported later.
    pub(super) fn has_component(&self, path: &str) -> bool {
        if is_sample(path) {
            return false;
        }
        let Ok(code) = fs::read_to_string(self.root.join(path)) else {
            return true;
        };
        let language = is_typescript(path).then_some(Language::TypeScript);
        looks_like_component(&code, language)
    }

    /// The hash of a file, or `None` if it does not exist. Each file is read once.
    pub(super) fn hash(&self, path: &str) -> Option<Arc<str>> {
        if let Some(cached) = self.hashes.lock().get(path) {
            return cached.clone();
        }
        let text = fs::read(self.root.join(path)).ok();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        let hash = text.map(|text| Arc::from(code_hash(&text)));
        self.hashes.lock().insert(path.to_owned(), hash.clone());
        hash
    }

    /// The file with the sample event of a component.
    pub(super) fn sample_of(&self, path: &str) -> Option<String> {
        sample_paths(path).find(|path| self.root.join(path).is_file())
    }

    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.root.join(path).is_dir()
    }
}

fn is_typescript(path: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension == "ts" || extension == "mts")
}

fn unreadable(path: &Path, error: io::Error) -> CheckoutError {
    CheckoutError::Unreadable {
        path: path.to_owned(),
        error,
    }
}

fn folders(root: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
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
    // `common.mjs` and `common.webhook.mjs` are for components beside them.
    let is_helper = stem.split('.').next() == Some("common");
    EXTENSIONS.contains(&extension) && !is_helper && !other.iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_types_and_apps_are_not_components() {
        for name in [
            "a.mjs",
            "a.js",
            "a.cjs",
            "a.ts",
            "a.mts",
            "new-item.v2.mjs",
            "common-words.mjs",
        ] {
            assert!(is_code(name), "{name}");
        }
        for name in [
            "a.json",
            "a.d.ts",
            "a.test.mjs",
            "a.spec.ts",
            "README",
            "acme.app.mjs",
            "common.mjs",
            "common.webhook.js",
        ] {
            assert!(!is_code(name), "{name}");
        }
    }

    #[test]
    fn the_root_is_found_from_the_checkout_and_from_an_app() {
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
            let checkout = Checkout::at(&given, &[]).expect("a checkout");
            assert_eq!(checkout.root, canonical);
            assert!(checkout.covers("acme/sources/a.mjs"));
            assert_eq!(checkout.covers("bolt/actions/b.mjs"), covers_bolt);
        }
        assert!(Checkout::at(&root, &["crane".to_owned()]).is_err());
    }
}
