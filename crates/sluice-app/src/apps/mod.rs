//! Apps: services that components authenticate to. The catalogue describes most of them, the operator registers others and
//! OAuth clients, and imports add the fields that components read.

mod checks;
mod input;
pub(crate) mod known;
mod list;
pub(crate) mod refresh;
mod service;

pub use input::{NewApp, NewClient};
pub use list::{AppFilter, AppOrder, ListedApp};
pub use service::Apps;
