//! A source as an actor: one owner task with a mailbox, a component process, and its small state in memory.

mod actor;
mod asks;
mod batch;
mod bindings;
mod commit;
mod definition;
mod engagement;
mod handle;
mod hooks;
mod store_request;
mod stored;
mod uploads;

pub(crate) use actor::Actor;
pub(crate) use asks::{Asks, Reach};
pub(crate) use bindings::bind;
pub use bindings::binding;
pub(crate) use definition::{Definition, packages_of};
pub(crate) use engagement::{Change, Engagement, Gate, HookError};
pub(crate) use handle::SourceHandle;
pub(crate) use stored::Stored;
pub(crate) use uploads::{PLACEHOLDER, PlaceError, TmpFolder, place};
