//! Components: saving, finding, listing, searching and publishing them.

mod apps;
mod change;
mod entry;
mod fetch;
mod find;
mod first_use;
mod first_use_locks;
mod input;
mod inspect;
mod known_apps;
mod list;
mod prepare;
mod publish;
mod search;
mod searchable;
mod service;
mod shelf_cache;
mod words;

pub(crate) use apps::apps_of;
pub(crate) use find::find;
pub use input::{CodeInput, ComponentRef, FilesInput};
pub(crate) use known_apps::{apps_by_component, known_apps};
pub use list::{ComponentFilter, ListedComponent, Scope};
pub use prepare::raw_address;
pub use publish::PublishInput;
pub(crate) use publish::publication;
pub use search::{ComponentMatches, ComponentSearch};
pub use service::Components;
pub(crate) use service::lock_hash;
