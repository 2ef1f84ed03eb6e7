//! The apps of a component.

use sluice_model::{ComponentShape, PropDef, PropType};

/// The slugs of the apps in a component's props.
pub(crate) fn apps_of(shape: &ComponentShape) -> impl Iterator<Item = &str> {
    shape.props_of(&PropType::App).filter_map(PropDef::app)
}
