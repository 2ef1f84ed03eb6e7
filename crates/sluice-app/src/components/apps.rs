//! The slugs of a component's apps.

use sluice_model::{ComponentShape, PropDef, PropType};

/// The slugs of the apps in a component's props.
pub(crate) fn apps_of(shape: &ComponentShape) -> impl Iterator<Item = &str> {
    shape.props_of(&PropType::App).filter_map(PropDef::app)
}

/// The slug that a key begins with.
pub(super) fn app_in_key(key: &str) -> Option<&str> {
    key.split('-').next().filter(|slug| !slug.is_empty())
}

/// The app that a component is for: that of its first app prop, else the one that its key begins with. The server may not know it.
pub(super) fn app_of(shape: &ComponentShape) -> Option<&str> {
    let declared = apps_of(shape).next();
    declared.or_else(|| app_in_key(shape.key.as_deref()?))
}
