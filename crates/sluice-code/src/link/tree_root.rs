//! The root of the folder tree that a component belongs to.

use std::path::{Path, PathBuf};

/// The folder that holds the app folders, if the component is in one; else its project; else its own folder.
pub(crate) fn around(entry: &Path) -> PathBuf {
    let folders = || entry.ancestors().skip(1);
    folders()
        .find(|folder| is_app_folder(folder, entry))
        .and_then(Path::parent)
        .or_else(|| folders().find(|folder| folder.join(".git").exists()))
        .or_else(|| folders().find(|folder| folder.join("package.json").is_file()))
        .or_else(|| entry.parent())
        .unwrap_or(entry)
        .to_owned()
}

/// An app folder `acme` has `acme.app.mjs`, or the component in its `sources` or `actions`.
fn is_app_folder(folder: &Path, entry: &Path) -> bool {
    let Some(app) = folder.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let has_app_file = ["mjs", "js", "ts"]
        .iter()
        .any(|extension| folder.join(format!("{app}.app.{extension}")).is_file());
    has_app_file
        || ["sources", "actions"]
            .iter()
            .any(|kind| entry.starts_with(folder.join(kind)))
}
