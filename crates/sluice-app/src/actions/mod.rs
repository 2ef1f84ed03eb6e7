//! Actions that run by themselves: one component, once, with given props. Each is a run of a workflow that the server keeps for
//! the user's actions, so it is stored, limited and recorded as the runs of other workflows are.

mod home;
mod list;
mod prepare;
mod ran;
mod replay;
mod request;
mod run;
mod service;
mod view;

pub use list::{ActionRunList, ActionRunPage};
pub(crate) use prepare::{must_be_an_action, use_account};
pub use ran::RanAction;
pub use request::RunAction;
pub(crate) use run::SOURCE_TYPE;
pub use service::Actions;
pub use view::ActionRunView;
