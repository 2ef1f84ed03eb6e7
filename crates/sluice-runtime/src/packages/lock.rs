//! The lock of a component's packages, from which exactly the same bytes can be installed anywhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use serde::{Deserialize, Serialize};
use sluice_code::PackageRequest;
use sluice_model::code_hash;

/// Stored with its component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageLock {
    /// The folder in `node_modules`, and package and range as npm writes them, such as `npm:axios@^1`.
    dependencies: BTreeMap<String, String>,
    /// The text of Deno's lock file: every package with its version and the hash of its contents.
    lockfile: String,
}

impl PackageLock {
    pub(super) fn new(requests: &[&PackageRequest], lockfile: String) -> PackageLock {
        PackageLock {
            dependencies: dependencies(requests),
            lockfile,
        }
    }

    /// The names by which the code imports its packages.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = &str> {
        self.dependencies.keys().map(String::as_str)
    }

    /// The name of the folder of these packages.
    pub fn hash(&self) -> String {
        let mut text = String::new();
        for (alias, range) in &self.dependencies {
            let _ = writeln!(text, "{alias}\n{range}");
        }
        text.push_str(&self.lockfile);
        code_hash(&text)
    }

    pub(super) fn manifest(&self) -> String {
        manifest(&self.dependencies)
    }

    /// The name of the first package, and a `package.json` that requires only that.
    pub(super) fn first(&self) -> Option<(&str, String)> {
        let (alias, range) = self.dependencies.first_key_value()?;
        let (name, _) = range.strip_prefix("npm:")?.rsplit_once('@')?;
        let only = BTreeMap::from([(alias.clone(), range.clone())]);
        Some((name, manifest(&only)))
    }

    pub(super) fn lockfile(&self) -> &str {
        &self.lockfile
    }

    /// The names of all packages, each once.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.contents().into_iter().filter_map(|package| {
            // The first character may be that of a scope.
            let end = package.char_indices().skip(1).find(|(_, c)| *c == '@');
            end.map(|(end, _)| package[..end].to_owned())
        });
        let names: BTreeSet<String> = names.collect();
        names.into_iter().collect()
    }

    /// All packages with their versions, such as `axios@1.2.0`.
    pub(super) fn contents(&self) -> Vec<String> {
        #[derive(Deserialize)]
        struct Lockfile {
            #[serde(default)]
            npm: serde_json::Map<String, serde_json::Value>,
        }
        serde_json::from_str(&self.lockfile).map_or_else(
            |_| Vec::new(),
            |Lockfile { npm }| npm.into_iter().map(|(package, _)| package).collect(),
        )
    }
}

pub(super) fn dependencies(requests: &[&PackageRequest]) -> BTreeMap<String, String> {
    requests
        .iter()
        .map(|request| {
            let range = format!("npm:{}@{}", request.name(), request.version());
            (request.alias().to_owned(), range)
        })
        .collect()
}

/// The `package.json` that requires them.
pub(super) fn manifest(dependencies: &BTreeMap<String, String>) -> String {
    serde_json::json!({ "private": true, "dependencies": dependencies }).to_string()
}
