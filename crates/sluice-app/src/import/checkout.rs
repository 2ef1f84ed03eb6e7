//! The checkout: its apps, and the files that may be components.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_code::{Language, LocalFiles, is_sample, looks_like_component, sample_paths};
use sluice_model::code_hash;

use super::{
    archive_files::ArchiveFiles,
    tree_files::{Entry, TreeFiles},
};

/// The folder of apps in a checkout of the public registry.
const COMPONENTS: &str = "components";
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
    #[error("the archive has no folders of apps: pack the folder of the app, not only its content")]
    NoAppFolder,
    #[error("no app {app} in {tree}")]
    NoApp { app: String, tree: String },
    #[error("cannot read {tree}: {error}")]
    Unreadable { tree: String, error: io::Error },
}

/// The folder that contains the folders of apps.
pub(super) struct Checkout<F> {
    pub(super) files: F,
    /// The selected apps. `None` for all.
    apps: Option<BTreeSet<String>>,
    /// The hashes of files by path, as a cache.
    hashes: Mutex<BTreeMap<String, Option<Arc<str>>>>,
}

impl Checkout<LocalFiles> {
    /// The checkout in a folder: one of apps, one with a folder `components`, or a single app.
    pub(super) fn at(
        folder: &Path,
        apps: &[String],
    ) -> Result<Checkout<LocalFiles>, CheckoutError> {
        let name = |folder: &Path| folder.display().to_string();
        let folder = folder.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CheckoutError::NoFolder(folder.to_owned()),
            _ => unreadable(&name(folder), error),
        })?;
        if !folder.is_dir() {
            return Err(CheckoutError::NoDirectory(folder));
        }
        let tree = name(&folder);
        let files = |folder| LocalFiles::new(folder).map_err(|error| unreadable(&tree, error));
        let inside = files(&folder)?;
        if let (Some(app), Some(parent)) = (folder.file_name(), folder.parent())
            && is_app(&inside, "")
        {
            let app = app.to_string_lossy().into_owned();
            return Checkout::selecting(files(parent)?, &[app], &tree);
        }
        Checkout::around_apps(inside, apps, &tree)
    }

    /// The folder that contains the folders of apps.
    pub(super) fn root(&self) -> &Path {
        self.files.root()
    }

    /// The selected apps. `None` for all.
    pub(super) fn apps(&self) -> Option<&BTreeSet<String>> {
        self.apps.as_ref()
    }
}

impl Checkout<ArchiveFiles> {
    /// The checkout in an archive, which may have folders around it.
    pub(super) fn in_archive(
        mut files: ArchiveFiles,
        apps: &[String],
    ) -> Result<Checkout<ArchiveFiles>, CheckoutError> {
        const TREE: &str = "the archive";
        let unreadable = |error| unreadable(TREE, error);
        if is_app(&files, "") {
            return Err(CheckoutError::NoAppFolder);
        }
        for _ in 0..MAX_OUTER_FOLDERS {
            if has_apps(&files) || files.is_folder(COMPONENTS) {
                break;
            }
            let inner = files.folders("").map_err(unreadable)?;
            let [only] = inner.as_slice() else { break };
            files = files.in_folder(only).map_err(unreadable)?;
        }
        Checkout::around_apps(files, apps, TREE)
    }
}

impl<F: TreeFiles> Checkout<F> {
    /// The checkout in a folder that has folders of apps, or a folder with these.
    fn around_apps(files: F, apps: &[String], tree: &str) -> Result<Checkout<F>, CheckoutError> {
        let files = if files.is_folder(COMPONENTS) && !has_apps(&files) {
            let inner = files.in_folder(COMPONENTS);
            inner.map_err(|error| unreadable(tree, error))?
        } else {
            files
        };
        Checkout::selecting(files, apps, tree)
    }

    fn selecting(files: F, apps: &[String], tree: &str) -> Result<Checkout<F>, CheckoutError> {
        if let Some(app) = apps.iter().find(|app| !files.is_folder(app)) {
            let (app, tree) = (app.clone(), tree.to_owned());
            return Err(CheckoutError::NoApp { app, tree });
        }
        Ok(Checkout {
            files,
            apps: (!apps.is_empty()).then(|| apps.iter().cloned().collect()),
            hashes: Mutex::default(),
        })
    }

    /// Whether a path is in one of the selected apps.
    pub(super) fn covers(&self, path: &str) -> bool {
        let app = path.split('/').next().unwrap_or_default();
        self.apps.as_ref().is_none_or(|apps| apps.contains(app))
    }

    /// All code files of the selected apps, by path.
    pub(super) fn files(&self) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        for app in self.files.folders("")? {
            for kind in KINDS {
                let folder = format!("{app}/{kind}");
                if self.covers(&app) && self.files.is_folder(&folder) {
                    self.walk(&folder, &mut found)?;
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn walk(&self, folder: &str, found: &mut Vec<String>) -> io::Result<()> {
        for entry in self.files.entries(folder)? {
            match entry {
                Entry::Folder(name) => {
                    if !IGNORED_FOLDERS.contains(&name.as_str()) && !name.starts_with('.') {
                        self.walk(&format!("{folder}/{name}"), found)?;
                    }
                }
                Entry::File(name) => {
                    if is_code(&name) {
                        found.push(format!("{folder}/{name}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a file looks like a component. An unreadable file counts as one, and is reported later.
    pub(super) fn has_component(&self, path: &str) -> bool {
        if is_sample(path) {
            return false;
        }
        let Some(code) = self.text(path) else {
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
        let hash = self.text(path).map(|text| Arc::from(code_hash(&text)));
        self.hashes.lock().insert(path.to_owned(), hash.clone());
        hash
    }

    /// The file with the sample event of a component.
    pub(super) fn sample_of(&self, path: &str) -> Option<String> {
        sample_paths(path).find(|path| self.files.is_file(path))
    }

    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.files.is_folder(path)
    }

    /// None if it does not exist, or is no text.
    fn text(&self, path: &str) -> Option<String> {
        let bytes = self.files.content(path).ok()?;
        String::from_utf8(bytes).ok()
    }
}

fn is_typescript(path: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension == "ts" || extension == "mts")
}

fn unreadable(tree: &str, error: io::Error) -> CheckoutError {
    CheckoutError::Unreadable {
        tree: tree.to_owned(),
        error,
    }
}

fn is_app(files: &impl TreeFiles, folder: &str) -> bool {
    KINDS.iter().any(|kind| {
        let path = if folder.is_empty() {
            (*kind).to_owned()
        } else {
            format!("{folder}/{kind}")
        };
        files.is_folder(&path)
    })
}

fn has_apps(files: &impl TreeFiles) -> bool {
    let folders = files.folders("");
    folders.is_ok_and(|names| names.iter().any(|name| is_app(files, name)))
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
    use std::fs;

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
            assert_eq!(checkout.root(), canonical);
            assert!(checkout.covers("acme/sources/a.mjs"));
            assert_eq!(checkout.covers("bolt/actions/b.mjs"), covers_bolt);
        }
        assert!(Checkout::at(&root, &["crane".to_owned()]).is_err());
    }
}
