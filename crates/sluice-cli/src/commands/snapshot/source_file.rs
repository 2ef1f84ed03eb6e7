//! The file `sources/<slug>.yaml`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_api::Retention;

use super::folder::{Runs, Source, default_true};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceFile {
    pub(crate) name: String,
    /// A code file, by its path relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) component: Option<String>,
    /// A component of the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(default = "default_true")]
    pub(crate) active: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) props: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retention: Option<RetentionFields>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetentionFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_events: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_age_seconds: Option<u32>,
}

impl SourceFile {
    pub(crate) fn new(source: &Source) -> SourceFile {
        let (component, key) = match &source.runs {
            Runs::File { path, .. } => (Some(relative_to_sources(path)), None),
            Runs::Registry(key) => (None, Some(key.clone())),
        };
        SourceFile {
            name: source.name.clone(),
            component,
            key,
            active: source.active,
            props: source.props.clone(),
            retention: source.retention.map(|retention| RetentionFields {
                max_events: retention.max_events,
                max_age_seconds: retention.max_age_seconds,
            }),
        }
    }

    pub(crate) fn retention(&self) -> Option<Retention> {
        let fields = self.retention.as_ref()?;
        let retention = Retention {
            max_events: fields.max_events,
            max_age_seconds: fields.max_age_seconds,
        };
        (retention != Retention::default()).then_some(retention)
    }
}

/// A path in the folder, relative to `sources`.
fn relative_to_sources(path: &str) -> String {
    match path.strip_prefix("sources/") {
        Some(beside) => format!("./{beside}"),
        None => format!("../{path}"),
    }
}

/// The path in the folder of a path relative to `sources`. `None` if it is outside of the folder.
pub(crate) fn in_folder(path: &str) -> Option<String> {
    let mut parts = vec!["sources"];
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    (!path.starts_with('/')).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_sources_and_inside_the_folder() {
        for (relative, path) in [
            ("./a.mjs", Some("sources/a.mjs")),
            ("../components/a.mjs", Some("components/a.mjs")),
            ("../../a.mjs", None),
            ("/a.mjs", None),
        ] {
            assert_eq!(in_folder(relative).as_deref(), path, "{relative}");
            if let Some(path) = path {
                assert_eq!(relative_to_sources(path), relative);
            }
        }
    }
}
