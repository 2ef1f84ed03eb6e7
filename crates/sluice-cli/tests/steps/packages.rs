//! Packages for steps, put where an install would have put them.

use std::{fs, path::Path, sync::Arc};

use serde_json::{Value, json};
use sluice_model::code_hash;
use sluice_runtime::PackageLock;

use crate::support::packages;

/// A lock of one package of our own making, `index.cjs` of which is `code`; installed already.
pub(crate) fn package(name: &str, code: &str) -> Arc<PackageLock> {
    let (range, lockfile) = ("npm:made@1", code_hash(code));
    let hash = code_hash(&format!("{name}\n{range}\n{lockfile}"));
    let folder = packages().join(hash).join("node_modules").join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    let manifest = json!({ "name": name, "version": "1.0.0", "main": "index.cjs" });
    fs::write(folder.join("package.json"), manifest.to_string()).expect("a file can be written");
    fs::write(folder.join("index.cjs"), code).expect("a file can be written");
    let lock = json!({ "dependencies": { name: range }, "lockfile": lockfile });
    Arc::new(serde_json::from_value(lock).expect("that is a lock"))
}

/// A lock of a package that the repository has installed, with all that it needs; installed here too.
pub(crate) fn installed(name: &str) -> Arc<PackageLock> {
    let (range, lockfile) = (format!("npm:{name}"), String::new());
    let hash = code_hash(&format!("{name}\n{range}\n{lockfile}"));
    let modules = packages().join(hash).join("node_modules");
    let mut wanted = vec![name.to_owned()];
    while let Some(package) = wanted.pop() {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../node_modules")
            .join(&package);
        let to = modules.join(&package);
        if to.exists() {
            continue;
        }
        copy(&from, &to);
        let manifest = fs::read(from.join("package.json")).expect("a manifest can be read");
        let manifest: Value = serde_json::from_slice(&manifest).expect("a manifest is JSON");
        let needs = manifest["dependencies"].as_object().into_iter().flatten();
        wanted.extend(needs.map(|(name, _)| name.clone()));
    }
    let lock = json!({ "dependencies": { name: range }, "lockfile": lockfile });
    Arc::new(serde_json::from_value(lock).expect("that is a lock"))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a package can be read") {
        let entry = entry.expect("a package can be read");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).expect("a file can be copied");
        }
    }
}
