//! Drafts: a component with the values of a form that is being filled in.

use serde_json::{Map, Value};
use sluice_model::{PropDef, SourceId, UserId, carried_over, merged};
use sluice_store::components::Component;

/// A component and the values chosen so far.
pub struct Draft {
    /// Its id or its key.
    pub component: String,
    pub configured_props: Map<String, Value>,
    /// The last result of `additionalProps`.
    pub dynamic_props_id: Option<String>,
    /// The source that is being changed. It supplies secrets that are sent back masked.
    pub source_id: Option<String>,
}

/// A draft with everything that it refers to.
pub(super) struct LoadedDraft {
    pub(super) component: Component,
    pub(super) dynamic: Vec<PropDef>,
    pub(super) source: Option<(SourceId, Map<String, Value>)>,
    pub(super) given: Map<String, Value>,
}

/// A component, and the values for a call.
pub(crate) struct Asked<'a> {
    pub(crate) user: &'a UserId,
    pub(crate) component: &'a Component,
    /// The previous result of its `additionalProps`.
    pub(crate) dynamic: &'a [PropDef],
    pub(crate) given: &'a Map<String, Value>,
    pub(crate) previous: Option<Previous<'a>>,
}

/// The source that is being changed, and its values in clear.
#[derive(Clone, Copy)]
pub(crate) struct Previous<'a> {
    pub(crate) source: &'a SourceId,
    pub(crate) values: &'a Map<String, Value>,
}

/// The values to check. Values of dynamic props that are no longer declared are dropped. Without dynamic props, a value
/// of an undeclared prop is an error.
pub(crate) fn given_for(
    component: &Component,
    props: &[PropDef],
    given: Map<String, Value>,
) -> Map<String, Value> {
    if component.shape.has_additional_props {
        carried_over(props, &given)
    } else {
        given
    }
}

impl LoadedDraft {
    pub(super) fn asked<'a>(&'a self, user: &'a UserId) -> Asked<'a> {
        Asked {
            user,
            component: &self.component,
            dynamic: &self.dynamic,
            given: &self.given,
            previous: self
                .source
                .as_ref()
                .map(|(source, values)| Previous { source, values }),
        }
    }
}

impl Asked<'_> {
    pub(super) fn props(&self) -> Vec<PropDef> {
        merged(&self.component.shape.props, self.dynamic)
    }
}
