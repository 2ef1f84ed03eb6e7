//! The icons of apps, as SVG.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

use crate::apps::find;

const DATA: &str = include_str!("../data/icons.json");

#[derive(Debug, Deserialize)]
struct Icon {
    title: String,
    #[serde(flatten)]
    drawing: Drawing,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Drawing {
    /// One path in a square of 24 units.
    Path {
        /// The colour of the brand, without `#`.
        hex: String,
        path: String,
    },
    /// SVG elements in a square view box.
    Elements {
        #[serde(rename = "box")]
        view_box: String,
        body: String,
    },
}

static ICONS: LazyLock<HashMap<String, Icon>> =
    LazyLock::new(|| serde_json::from_str(DATA).expect("a test reads the icons"));

/// Whether an app has an icon.
pub fn has_icon(slug: &str) -> bool {
    icon(slug).is_some()
}

/// The icon of an app.
pub fn icon_svg(slug: &str) -> Option<String> {
    let Icon { title, drawing } = icon(slug)?;
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    Some(match drawing {
        Drawing::Path { hex, path } => format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" role="img"><title>{title}</title><path fill="#{hex}" d="{path}"/></svg>"##
        ),
        Drawing::Elements { view_box, body } => format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}" role="img"><title>{title}</title>{body}</svg>"#
        ),
    })
}

fn icon(slug: &str) -> Option<&'static Icon> {
    ICONS.get(find(slug)?.icon.as_ref()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::apps;

    #[test]
    fn every_icon_is_drawn_and_used() {
        let mut used: Vec<&str> = Vec::new();
        for name in apps().iter().filter_map(|app| app.icon.as_deref()) {
            assert!(ICONS.contains_key(name), "{name}");
            used.push(name);
        }
        for (name, icon) in ICONS.iter() {
            assert!(used.contains(&name.as_str()), "{name} is not used");
            match &icon.drawing {
                Drawing::Path { hex, path } => assert_path(name, hex, path),
                Drawing::Elements { view_box, body } => assert_elements(name, view_box, body),
            }
        }
    }

    fn assert_path(name: &str, hex: &str, path: &str) {
        let is_colour = hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(is_colour, "{name}");
        let is_path = |b: u8| b.is_ascii_alphanumeric() || b" ,.-+".contains(&b);
        assert!(!path.is_empty() && path.bytes().all(is_path), "{name}");
    }

    /// Icons have no scripts, style sheets or addresses.
    fn assert_elements(name: &str, view_box: &str, body: &str) {
        let sizes: Vec<&str> = view_box.split(' ').collect();
        assert!(
            sizes.len() == 4 && sizes[2] == sizes[3],
            "{name}: {view_box}"
        );
        for element in body.split('<').skip(1) {
            let end = element.find([' ', '>', '/']).unwrap_or(element.len());
            let tag = element.trim_start_matches('/');
            let tag = if element.starts_with('/') {
                tag.trim_end_matches('>')
            } else {
                &element[..end]
            };
            assert!(ELEMENTS.contains(&tag), "{name}: {tag}");
        }
        for forbidden in ["style=", " on", "http", "href=\"/", "data:", "NaN"] {
            assert!(!body.contains(forbidden), "{name}: {forbidden}");
        }
    }

    /// An app of the registry has an entry in this list.
    #[test]
    fn many_apps_of_the_registry_have_icons() {
        let slugs = include_str!("../../../scripts/catalogue/slugs.txt").lines();
        let with_icons = slugs.filter(|slug| has_icon(slug)).count();
        assert!(with_icons >= 850, "{with_icons}");
    }

    const ELEMENTS: [&str; 15] = [
        "circle",
        "clipPath",
        "defs",
        "ellipse",
        "g",
        "line",
        "linearGradient",
        "mask",
        "path",
        "polygon",
        "polyline",
        "radialGradient",
        "rect",
        "stop",
        "use",
    ];
}
