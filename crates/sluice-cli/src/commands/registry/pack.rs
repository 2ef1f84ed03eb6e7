//! A checkout as an archive for the server.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Seek as _, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use flate2::{Compression, write::GzEncoder};
use sluice_app::{CheckoutError, LocalCheckout, is_source};
use tar::{Builder, Header};

use super::tree_args::TreeArgs;
use crate::exit::NotFound;

/// Links to folders may lead in circles.
const MAX_DEPTH: usize = 32;

/// An archive of a tree, and its name.
pub(super) struct PackedTree {
    pub(super) archive: File,
    /// The path of the checkout or archive.
    pub(super) name: String,
    /// The apps to import. Empty for all.
    pub(super) apps: Vec<String>,
}

pub(super) async fn pack(args: &TreeArgs) -> anyhow::Result<PackedTree> {
    if args.path.is_file() {
        return open_archive(args);
    }
    let checkout = LocalCheckout::at(&args.path, &args.apps).map_err(|error| match error {
        CheckoutError::NoFolder(_) | CheckoutError::NoApp { .. } => {
            anyhow::Error::from(NotFound(error.to_string()))
        }
        CheckoutError::NoDirectory(_)
        | CheckoutError::NoAppFolder
        | CheckoutError::Unreadable { .. } => error.into(),
    })?;
    let root = checkout.root();
    let unreadable = || format!("cannot read {}", root.display());
    let paths = if checkout.apps().is_some() {
        let needed = checkout.needed_files().await.with_context(unreadable)?;
        needed.into_iter().collect()
    } else {
        let mut found = Vec::new();
        walk(root, Path::new(""), 0, &mut found).with_context(unreadable)?;
        found
    };
    Ok(PackedTree {
        archive: write_archive(root, paths).with_context(unreadable)?,
        name: root.to_string_lossy().into_owned(),
        apps: checkout.apps().into_iter().flatten().cloned().collect(),
    })
}

fn open_archive(args: &TreeArgs) -> anyhow::Result<PackedTree> {
    let path = &args.path;
    let unreadable = || format!("cannot read {}", path.display());
    let name = path.canonicalize().with_context(unreadable)?;
    Ok(PackedTree {
        archive: File::open(path).with_context(unreadable)?,
        name: name.to_string_lossy().into_owned(),
        apps: args.apps.clone(),
    })
}

/// Finds the code files below a folder.
fn walk(root: &Path, folder: &Path, depth: usize, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let name = entry?.file_name();
        let path = folder.join(&name);
        let Some(text) = path.to_str() else { continue };
        // A broken link is no file.
        let Ok(kind) = fs::metadata(root.join(&path)) else {
            continue;
        };
        if kind.is_dir() && depth < MAX_DEPTH && is_source(&format!("{text}/a.js")) {
            walk(root, &path, depth + 1, found)?;
        } else if kind.is_file() && is_source(text) {
            found.push(text.to_owned());
        }
    }
    Ok(())
}

/// A file without a name that has the archive. The system removes it.
fn write_archive(root: &Path, paths: Vec<String>) -> io::Result<File> {
    let file = tempfile::tempfile()?;
    let compressed = GzEncoder::new(BufWriter::new(file), Compression::fast());
    let mut archive = Builder::new(compressed);
    for path in paths {
        add(&mut archive, &root.join(&path), &path)?;
    }
    let file = archive.into_inner()?.finish()?;
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
}

fn add(archive: &mut Builder<impl Write>, file: &PathBuf, path: &str) -> io::Result<()> {
    let content = fs::read(file)?;
    let mut header = Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header, path, content.as_slice())
}
