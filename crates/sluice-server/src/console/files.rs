//! Where the console's files come from.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use rust_embed::RustEmbed;

/// What `make ui` built, when this program was; nothing if it did not.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Built;

pub(super) enum Files {
    Embedded,
    Folder(PathBuf),
}

impl Files {
    /// Those that belong to this program. A debug build has them from where they are built, while it runs.
    pub(super) fn own() -> Self {
        if cfg!(debug_assertions) {
            Files::Folder(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/dist").into())
        } else {
            Files::Embedded
        }
    }

    /// The contents of a file; its name has no `..` and is relative.
    pub(super) async fn get(&self, name: &str) -> Option<Bytes> {
        match self {
            Files::Embedded => Built::get(name).map(|file| match file.data {
                Cow::Borrowed(content) => Bytes::from_static(content),
                Cow::Owned(content) => content.into(),
            }),
            Files::Folder(folder) => read_below(folder, name).await,
        }
    }
}

/// Links may lead about in the folder, and nowhere else.
async fn read_below(folder: &Path, name: &str) -> Option<Bytes> {
    let folder = tokio::fs::canonicalize(folder).await.ok()?;
    let file = tokio::fs::canonicalize(folder.join(name)).await.ok()?;
    if !file.starts_with(&folder) {
        return None;
    }
    tokio::fs::read(file).await.ok().map(Bytes::from)
}

/// By the extension, for what a console is built of.
pub(super) fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "ico" => "image/x-icon",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn links_do_not_lead_out_of_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("dist");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(place.path().join("secret.txt"), "secret").unwrap();
        std::fs::write(folder.join("a.txt"), "a").unwrap();
        std::os::unix::fs::symlink("a.txt", folder.join("inside.txt")).unwrap();
        std::os::unix::fs::symlink("../secret.txt", folder.join("outside.txt")).unwrap();
        assert_eq!(read_below(&folder, "a.txt").await.unwrap(), "a");
        assert_eq!(read_below(&folder, "inside.txt").await.unwrap(), "a");
        assert_eq!(read_below(&folder, "outside.txt").await, None);
        assert_eq!(read_below(&folder, "../secret.txt").await, None);
        assert_eq!(read_below(&folder, "missing.txt").await, None);
        assert_eq!(read_below(&folder, ".").await, None);
    }
}
