//! The manual pages of the packages, generated from the definition of the command line.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::{Args, Command};

/// Write a manual page for each command
#[derive(Args)]
pub(crate) struct ManPagesOptions {
    /// Folder for the pages
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Writes the pages of this parser.
pub(crate) fn write(options: &ManPagesOptions, parser: Command) -> anyhow::Result<()> {
    let folder = &options.folder;
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(parser, folder))
        .with_context(|| format!("cannot write the pages to {}", folder.display()))
}
