//! The reads of one file.

use std::collections::{BTreeMap, HashMap};

use super::field_use::FieldUses;

/// The fields that the code of one file reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileAuth {
    pub(super) apps: Vec<AppReads>,
    /// By the name of the prop or variable that holds the app: `this.acme.$auth`, `app.$auth`.
    pub(super) by_name: BTreeMap<String, FieldUses>,
    /// Read from `this.$auth` outside of an app.
    pub(super) loose: FieldUses,
    /// The specifiers of imports, by local name.
    pub(super) imported: HashMap<String, String>,
}

/// The reads of an app's definition.
#[derive(Debug, Clone, Default)]
pub(super) struct AppReads {
    pub(super) slug: String,
    pub(super) fields: FieldUses,
    /// The local names of the objects that it spreads.
    pub(super) spreads: Vec<String>,
}
