//! The file that a backup is written to.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;

pub(super) const STANDARD: &str = "-";

/// A file gets its name when it is complete and on the disk. Until then it has another one, and is removed after an error.
pub(super) enum Output {
    Standard(BufWriter<io::Stdout>),
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Output {
    /// For the owner alone.
    pub(super) fn create(path: &Path) -> anyhow::Result<Output> {
        if path.as_os_str() == STANDARD {
            return Ok(Output::Standard(BufWriter::new(io::stdout())));
        }
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            bail!("{} is no name of a file", path.display());
        };
        let prefix = format!(".{}.", name.to_string_lossy());
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(".partial")
            .tempfile_in(folder(path))
            .with_context(|| format!("cannot write to {}", folder(path).display()))?;
        Ok(Output::File(BufWriter::new(file), path.to_owned()))
    }

    /// Gives the file its name. A file of that name is replaced.
    pub(super) fn publish(self) -> anyhow::Result<()> {
        match self {
            Output::Standard(mut out) => out.flush().context("cannot write the backup"),
            Output::File(file, path) => {
                let publish = || -> io::Result<()> {
                    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                    file.as_file().sync_all()?;
                    file.persist(&path)?;
                    File::open(folder(&path))?.sync_all()
                };
                publish().with_context(|| format!("cannot write {}", path.display()))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Standard(out) => out.write(bytes),
            Output::File(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Standard(out) => out.flush(),
            Output::File(out, _) => out.flush(),
        }
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}
