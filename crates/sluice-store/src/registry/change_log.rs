//! A record of the changes that an import makes.

use sluice_model::{ComponentId, ImportId};

use crate::{
    conn::Conn,
    error::Result,
    imports::{self, ImportChange},
};

/// The import that changes the registry, and the file of the changed component.
#[derive(Debug, Clone, Copy)]
pub struct ChangeLog<'a> {
    pub import: &'a ImportId,
    pub path: &'a str,
}

impl ChangeLog<'_> {
    /// Records a change before it is made, so that the old component is kept.
    pub(super) fn record(
        &self,
        c: &mut dyn Conn,
        (key, version): (&str, &str),
        old: Option<&ComponentId>,
        new: Option<&ComponentId>,
    ) -> Result<()> {
        let change = ImportChange {
            key: key.to_owned(),
            version: version.to_owned(),
            path: self.path.to_owned(),
            old_component: old.cloned(),
            new_component: new.cloned(),
        };
        imports::record_change(c, self.import, &change)
    }
}
