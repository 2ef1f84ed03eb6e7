//! The icons of apps, as SVG.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

use crate::apps::find;

const DATA: &str = include_str!("../data/icons.json");

#[derive(Debug, Deserialize)]
struct Icon {
    title: String,
    /// The colour of the brand, without `#`.
    hex: String,
    /// A path in a square of 24 units.
    path: String,
}

static ICONS: LazyLock<HashMap<String, Icon>> =
    LazyLock::new(|| serde_json::from_str(DATA).expect("a test reads the icons"));

/// Whether an app has an icon.
pub fn has_icon(slug: &str) -> bool {
    icon(slug).is_some()
}

/// The icon of an app.
pub fn icon_svg(slug: &str) -> Option<String> {
    let Icon { title, hex, path } = icon(slug)?;
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    Some(format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" role="img"><title>{title}</title><path fill="#{hex}" d="{path}"/></svg>"##
    ))
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
            let is_colour = icon.hex.len() == 6 && icon.hex.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_colour, "{name}");
            let is_path = |b: u8| b.is_ascii_alphanumeric() || b" ,.-+".contains(&b);
            assert!(
                !icon.path.is_empty() && icon.path.bytes().all(is_path),
                "{name}"
            );
        }
    }
}
