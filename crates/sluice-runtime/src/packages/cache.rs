//! The part of Deno's download cache that one install fills.
//!
//! The cache has a folder for each package, in `npm/<host>/<path of the registry>`, with a folder for each version. A package
//! is unpacked beside it under a temporary name, which stays when the installer is killed.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

/// The cached metadata of a package, in its folder.
const METADATA: &str = "registry.json";
/// A registry is this many folders below `npm` at most.
const MAX_LEVELS: usize = 8;
/// Entries of a folder that tell whether it is a registry.
const MAX_SAMPLES: usize = 16;

/// The folders that an install adds for its packages. No other install may use these packages meanwhile.
pub(super) struct CacheGrowth {
    npm: PathBuf,
    names: Vec<String>,
    before: HashSet<PathBuf>,
}

impl CacheGrowth {
    /// Remembers what is in the cache now.
    pub(super) fn begin(cache: &Path, names: Vec<String>) -> CacheGrowth {
        let mut growth = CacheGrowth {
            npm: cache.join("npm"),
            names,
            before: HashSet::new(),
        };
        growth.before = growth.versions().into_iter().collect();
        growth
    }

    /// The folders that were added.
    pub(super) fn added(&self) -> Vec<PathBuf> {
        let mut versions = self.versions();
        versions.retain(|version| !self.before.contains(version));
        versions
    }

    /// Moves the folders that were added to `folder`. None is seen half removed by the next install.
    pub(super) fn move_to(&self, folder: &Path) {
        for (number, added) in self.added().into_iter().enumerate() {
            if let Err(error) = fs::rename(&added, folder.join(format!("cached-{number}"))) {
                tracing::warn!(folder = %added.display(), %error, "cannot remove cached package");
            }
        }
    }

    /// The folders of all versions of these packages, complete or not.
    fn versions(&self) -> Vec<PathBuf> {
        let registries = registries(&self.npm);
        let packages = registries
            .iter()
            .flat_map(|registry| self.names.iter().map(|name| registry.join(name)));
        packages
            .flat_map(|package| folders_in(&package).collect::<Vec<_>>())
            .collect()
    }
}

/// The folders of registries: those with packages in them.
fn registries(npm: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut level = vec![npm.to_owned()];
    for _ in 0..MAX_LEVELS {
        let mut next = Vec::new();
        for folder in level {
            let samples: Vec<PathBuf> = folders_in(&folder).take(MAX_SAMPLES).collect();
            if samples.iter().any(|sample| is_package(sample)) {
                found.push(folder);
            } else {
                next.extend(samples);
            }
        }
        level = next;
    }
    found
}

fn is_package(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('@') || folder.join(METADATA).exists()
}

fn folders_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(cache: &Path, version: &str) {
        let version = cache.join("npm").join(version);
        fs::create_dir_all(&version).unwrap();
        fs::write(version.with_file_name(METADATA), "{}").unwrap();
    }

    fn names(paths: &[PathBuf], cache: &Path) -> Vec<String> {
        let npm = cache.join("npm");
        let relative = paths
            .iter()
            .map(|path| path.strip_prefix(&npm).unwrap().display().to_string());
        let mut names: Vec<String> = relative.collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn new_versions_of_the_named_packages_are_found_in_every_registry() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path();
        make(cache, "registry.example/a/1.0.0");
        let wanted = ["a", "@scope/b"].map(str::to_owned).to_vec();
        let growth = CacheGrowth::begin(cache, wanted);
        assert!(growth.added().is_empty());
        make(cache, "registry.example/a/1.0.0af35134.tmp");
        make(cache, "registry.example/other/1.0.0");
        make(cache, "host_8080/api/npm/@scope/b/2.0.0");
        let added = [
            "host_8080/api/npm/@scope/b/2.0.0",
            "registry.example/a/1.0.0af35134.tmp",
        ];
        assert_eq!(names(&growth.added(), cache), added);

        let aside = cache.join("aside");
        fs::create_dir(&aside).unwrap();
        growth.move_to(&aside);
        assert!(growth.added().is_empty());
        assert_eq!(fs::read_dir(&aside).unwrap().count(), 2);
        assert!(cache.join("npm/registry.example/a/1.0.0").exists());
    }

    #[test]
    fn a_cache_that_does_not_exist_yet_has_no_versions() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("missing");
        let growth = CacheGrowth::begin(&cache, vec!["a".to_owned()]);
        make(&cache, "registry.example/a/1.0.0");
        assert_eq!(growth.added().len(), 1);
    }
}
