//! Component trees in temporary folders, and Deno to run them.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    thread,
};

use serde_json::Value;
use sluice_code::{CodeTree, LinkOptions, LocalFiles, Location, link};
use sluice_model::CodeError;
use tempfile::TempDir;

const DRIVER: &str = include_str!("driver.mjs");

/// The packages that the trees may import, at their root.
const PACKAGES: [(&str, &str); 6] = [
    ("package.json", "{}"),
    (
        "node_modules/pkg-esm/package.json",
        r#"{"name": "pkg-esm", "version": "1.0.0", "type": "module", "exports": {".": "./index.js", "./sub": "./sub.js"}}"#,
    ),
    (
        "node_modules/pkg-esm/index.js",
        "console.log('pkg-esm'); export default 'esm'; export const named = 'esm named';",
    ),
    (
        "node_modules/pkg-esm/sub.js",
        "export const sub = 'esm sub';",
    ),
    (
        "node_modules/pkg-cjs/package.json",
        r#"{"name": "pkg-cjs", "version": "1.0.0", "main": "index.js"}"#,
    ),
    (
        "node_modules/pkg-cjs/index.js",
        "console.log('pkg-cjs'); module.exports = { kind: 'cjs' };",
    ),
];

pub(crate) struct Tree {
    folder: TempDir,
}

impl Tree {
    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let tree = Tree {
            folder: tempfile::tempdir().expect("a temporary folder can be made"),
        };
        for (path, text) in PACKAGES.iter().chain(files) {
            tree.write(path, text);
        }
        tree
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .and_then(|()| fs::write(&path, text))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) async fn link(&self, entry: &str) -> Result<CodeTree, Vec<CodeError>> {
        self.link_with(entry, LinkOptions::default()).await
    }

    pub(crate) async fn link_with(
        &self,
        entry: &str,
        options: LinkOptions,
    ) -> Result<CodeTree, Vec<CodeError>> {
        let files = LocalFiles::new(self.folder.path()).expect("the tree exists");
        link(&Location::new(entry), files, options).await
    }

    /// The texts of the files as they run, by path.
    pub(crate) async fn texts(&self, entry: &str) -> BTreeMap<String, String> {
        let linked = self.link(entry).await;
        let linked = linked.unwrap_or_else(|errors| panic!("{entry}: {errors:?}"));
        let files = linked.to_files();
        let laid_out = files.laid_out();
        laid_out
            .map(|(path, text)| (path.into_owned(), text.into_owned()))
            .collect()
    }

    /// Links `entry`, and lays its files out in a tree that holds nothing else but packages.
    pub(crate) async fn lay_out_in(&self, other: &Tree, entry: &str) -> PathBuf {
        let linked = self.link(entry).await;
        let linked = linked.unwrap_or_else(|errors| panic!("{entry}: {errors:?}"));
        other.lay_out(&linked)
    }

    /// Writes the files of a component, and returns the path of its entry.
    pub(crate) fn lay_out(&self, tree: &CodeTree) -> PathBuf {
        let files = tree.to_files();
        for (path, text) in files.laid_out() {
            self.write(&format!("src/{path}"), &text);
        }
        self.path(&format!("src/{}", files.entry.link.path))
    }

    /// The exports of `entry`, when it runs with its files alone.
    pub(crate) async fn exports(&self, entry: &str) -> Value {
        let other = Tree::of(&[]);
        let ran = run(&[self.lay_out_in(&other, entry).await]).remove(0);
        assert_eq!(ran["error"], Value::Null, "{ran}");
        ran["exports"].clone()
    }
}

/// Runs each module in turn: what it printed, what it exports, and how it failed.
pub(crate) fn run(modules: &[PathBuf]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let driver = folder.path().join("driver.mjs");
    fs::write(&driver, DRIVER).expect("the driver can be written");
    let output = Command::new(deno())
        .args(["run", "--quiet", "--allow-all", "--node-modules-dir=manual"])
        .arg("--unstable-detect-cjs")
        .arg(&driver)
        .args(modules)
        .current_dir(folder.path())
        .output()
        .expect("Deno starts");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        panic!("{error}: {text}\n{complaint}")
    })
}

/// Callers are in a runtime of their own, so the search has one on another thread.
fn deno() -> &'static Path {
    static DENO: OnceLock<PathBuf> = OnceLock::new();
    DENO.get_or_init(|| {
        let found = thread::spawn(find_deno).join();
        found.expect("the search ends")
    })
}

#[tokio::main(flavor = "current_thread")]
async fn find_deno() -> PathBuf {
    let configured = env::var_os("SLUICE_DENO").map(PathBuf::from);
    let found = sluice_runtime::find_deno(configured.as_deref(), &env::temp_dir(), |_| {}).await;
    found.expect("Deno is found")
}
