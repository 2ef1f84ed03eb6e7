//! What an empty process does ahead.

/// The work of a process before it has a component.
#[derive(Clone, Copy)]
pub(crate) enum Preload {
    /// For a process that is needed at once.
    Nothing,
    /// Imports the modules of Node that packages use.
    NodeModules,
}

impl Preload {
    pub(crate) fn argument(self) -> Option<&'static str> {
        match self {
            Preload::Nothing => None,
            Preload::NodeModules => Some("warm"),
        }
    }
}
