//! The tree that a command reads.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(super) struct TreeArgs {
    /// Folder of the checkout, or a tar archive of it
    #[arg(value_name = "DIR|TARBALL")]
    pub(super) path: PathBuf,
    /// Read only these apps, by folder name
    #[arg(long = "app", value_name = "NAME", value_delimiter = ',')]
    pub(super) apps: Vec<String>,
}
