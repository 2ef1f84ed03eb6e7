//! The keys of a tree's components.

use sluice_engine::EngineError;
use sluice_store::{
    components::Component,
    registry::{Publication, Shelf},
};

use crate::components::publication;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyRule {
    /// A key begins with the app of its component.
    OfApp,
    /// A key is any name, and the component belongs to no app.
    Plain,
}

impl KeyRule {
    /// The registry entry of a component in the folder of an app, or the reason why it has none.
    pub(super) fn publication(
        self,
        component: &Component,
        folder: Option<&str>,
        now: i64,
    ) -> Result<Publication, EngineError> {
        match self {
            KeyRule::OfApp => publication(Shelf::Server, component, folder, now),
            KeyRule::Plain => {
                // Keys in an account need no app.
                let account = Shelf::Account(component.user_id.clone());
                Ok(Publication {
                    shelf: Shelf::Server,
                    ..publication(account, component, None, now)?
                })
            }
        }
    }
}
