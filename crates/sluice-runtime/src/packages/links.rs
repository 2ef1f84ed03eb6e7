//! Symbolic links between packages, which must stay in their folder.

use std::{
    io,
    path::{Component, Path},
};

/// Fails if a link at `path` leaves the folder that `path` is relative to. The folders above it are real ones.
///
/// Only leading `..` are allowed. One that follows a name could lead up from the target of another link.
pub(super) fn check_target(path: &Path, target: &Path) -> io::Result<()> {
    let above = path.components().count().saturating_sub(1);
    let is_up = |part: &Component<'_>| matches!(part, Component::ParentDir);
    let up = target.components().take_while(is_up).count();
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if up <= above && target.components().skip(up).all(is_plain) {
        return Ok(());
    }
    let (path, target) = (path.display(), target.display());
    Err(io::Error::other(format!(
        "the link {path} to {target} leaves the folder"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stays(path: &str, target: &str) -> bool {
        check_target(Path::new(path), Path::new(target)).is_ok()
    }

    #[test]
    fn links_stay_in_the_folder() {
        assert!(stays("node_modules/a", ".deno/a@1.0.0/node_modules/a"));
        assert!(stays("node_modules/.bin/a", "../a/cli.js"));
        assert!(stays("a/b/link", "../../c"));
        assert!(stays("link", "a"));
        for (path, target) in [
            ("link", ".."),
            ("link", "../outside"),
            ("a/b/link", "../../../outside"),
            ("a/link", "/etc/passwd"),
            ("a/link", "b/../../../outside"),
            ("a/b/link", "c/.."),
        ] {
            assert!(!stays(path, target), "{path} -> {target}");
        }
    }
}
