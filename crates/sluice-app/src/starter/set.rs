//! The files of the starter set.

use std::collections::BTreeMap;

use rust_embed::RustEmbed;
use sluice_model::code_hash;

/// A debug build reads the folder at run time.
#[derive(RustEmbed)]
#[folder = "../../starter"]
struct Embedded;

/// Code for tests only.
const TEST_FOLDER: &str = "testing/";
const TEST_SUFFIX: &str = ".test.mjs";

pub(super) struct StarterSet {
    /// By path.
    pub(super) texts: BTreeMap<String, String>,
}

/// A component of the set. Its file and its folder have the name of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StarterComponent {
    pub(super) path: String,
    pub(super) key: String,
}

impl StarterSet {
    pub(super) fn embedded() -> StarterSet {
        let paths = Embedded::iter().filter(|path| !is_test(path));
        let texts = paths.filter_map(|path| {
            let file = Embedded::get(&path)?;
            let text = String::from_utf8(file.data.into_owned()).ok()?;
            Some((path.into_owned(), text))
        });
        StarterSet {
            texts: texts.collect(),
        }
    }

    /// Differs for sets with different files.
    pub(super) fn hash(&self) -> String {
        let files = self.texts.iter();
        let hashes = files.map(|(path, text)| format!("{path} {}\n", code_hash(text)));
        code_hash(&hashes.collect::<Vec<_>>().concat())
    }

    /// In the order of their paths.
    pub(super) fn components(&self) -> Vec<StarterComponent> {
        self.texts
            .keys()
            .filter_map(|path| component(path))
            .collect()
    }
}

fn is_test(path: &str) -> bool {
    path.starts_with(TEST_FOLDER) || path.ends_with(TEST_SUFFIX)
}

/// `<group>/sources/<key>/<key>.mjs` and `<group>/actions/<key>/<key>.mjs` are components.
fn component(path: &str) -> Option<StarterComponent> {
    let parts: Vec<&str> = path.split('/').collect();
    let [_, "sources" | "actions", folder, file] = parts.as_slice() else {
        return None;
    };
    (file.strip_suffix(".mjs") == Some(folder)).then(|| StarterComponent {
        path: path.to_owned(),
        key: (*folder).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_has_its_components_and_no_tests() {
        let set = StarterSet::embedded();
        let keys: Vec<String> = set.components().into_iter().map(|one| one.key).collect();
        for key in ["http", "rss", "standard-webhook", "filter", "sql-query"] {
            assert!(keys.iter().any(|one| one == key), "{key} is missing");
        }
        assert_eq!(keys.len(), 21, "{keys:?}");
        assert!(set.texts.keys().all(|path| !path.contains("test.mjs")));
    }

    #[test]
    fn each_component_has_its_key_and_each_source_a_sample() {
        let set = StarterSet::embedded();
        for StarterComponent { path, key } in set.components() {
            let declared = format!("key: \"{key}\"");
            assert!(set.texts[&path].contains(&declared), "{path}");
            if path.contains("/sources/") {
                let sample = path.replace(&format!("{key}.mjs"), "test-event.mjs");
                assert!(set.texts.contains_key(&sample), "{sample}");
            }
        }
    }

    #[test]
    fn each_component_is_described() {
        let page = include_str!("../../../../docs/starter-components.md");
        for StarterComponent { key, .. } in StarterSet::embedded().components() {
            assert!(page.contains(&format!("\n## {key}\n")), "{key}");
        }
    }

    #[test]
    fn the_hash_depends_on_paths_and_texts() {
        let hash = |path: &str, text: &str| {
            let texts = BTreeMap::from([(path.to_owned(), text.to_owned())]);
            StarterSet { texts }.hash()
        };
        assert_eq!(hash("a", "x"), hash("a", "x"));
        assert_ne!(hash("a", "x"), hash("b", "x"));
        assert_ne!(hash("a", "x"), hash("a", "y"));
    }
}
