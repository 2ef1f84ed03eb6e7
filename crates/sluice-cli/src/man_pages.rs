//! The manual pages of the packages, generated from the definition of the command line.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::Args;

use crate::command_line::command_line;

/// Write a manual page for each command
#[derive(Args)]
pub(crate) struct ManPagesOptions {
    /// Folder for the pages
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(crate) fn write(options: &ManPagesOptions) -> anyhow::Result<()> {
    let folder = &options.folder;
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command_line(), folder))
        .with_context(|| format!("cannot write the pages to {}", folder.display()))
}
