//! Workflows in the folders that GitHub Sync writes.
//!
//! A folder has `workflow.yaml`, a file of code for each code step, and `.workflow.state` with the id of the workflow. These
//! fields of `workflow.yaml` are read: `name`, `inactive`, `settings`, `triggers` (ids only), and of each step `namespace`,
//! `runtime`, `uses`, `props`, `disabled` and `notes`. `uses` is a path of code, or `key@version` of a component. The details of
//! triggers are not in the files: the API gives them for the id of the workflow. Everything else is reported.

mod find;
mod placeholder;
mod settings;
mod step_code;
mod step_props;
mod synced;
mod translate;
mod triggers;

pub(super) use self::{find::find, synced::SyncedWorkflow, translate::Translator};
