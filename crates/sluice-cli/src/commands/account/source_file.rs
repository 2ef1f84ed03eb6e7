//! `sources/<slug>.yaml`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_api::Retention;

use super::folder::{Runs, Source, yes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceFile {
    pub(super) name: String,
    /// A file of code, by its path from this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) component: Option<String>,
    /// A component of the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    #[serde(default = "yes")]
    pub(super) active: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) props: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) retention: Option<RetentionFields>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RetentionFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_events: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_age_seconds: Option<u32>,
}

impl SourceFile {
    pub(super) fn of(source: &Source) -> SourceFile {
        let (component, key) = match &source.runs {
            Runs::File { path, .. } => (Some(from_sources(path)), None),
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

    pub(super) fn retention(&self) -> Option<Retention> {
        let fields = self.retention.as_ref()?;
        let retention = Retention {
            max_events: fields.max_events,
            max_age_seconds: fields.max_age_seconds,
        };
        (retention != Retention::default()).then_some(retention)
    }
}

/// A path in the folder, as seen from `sources`.
fn from_sources(path: &str) -> String {
    match path.strip_prefix("sources/") {
        Some(beside) => format!("./{beside}"),
        None => format!("../{path}"),
    }
}

/// A path as seen from `sources`, in the folder. None when it leads out.
pub(super) fn in_folder(path: &str) -> Option<String> {
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
    fn paths_lead_from_sources_and_stay_in_the_folder() {
        for (seen, path) in [
            ("./a.mjs", Some("sources/a.mjs")),
            ("../components/a.mjs", Some("components/a.mjs")),
            ("../../a.mjs", None),
            ("/a.mjs", None),
        ] {
            assert_eq!(in_folder(seen).as_deref(), path, "{seen}");
            if let Some(path) = path {
                assert_eq!(from_sources(path), seen);
            }
        }
    }
}
