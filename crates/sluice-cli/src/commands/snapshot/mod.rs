//! An account as a folder of files, so that it can be kept in version control. `export` writes it, `apply` reads it.
//!
//! `account` is the account as the server has it, `folder` is the content of the files, with names in place of ids.
//! `from_account` converts the first into the second, and `to_files` the second into files.

pub(super) mod account;
pub(super) mod folder;
pub(super) mod from_account;
pub(super) mod ids;
pub(super) mod names;
pub(super) mod references;
pub(super) mod source_file;
pub(super) mod to_files;

/// The file that names the first file of each component in a folder of its own, by the name of the folder.
pub(super) const COMPONENTS: &str = "components.yaml";
