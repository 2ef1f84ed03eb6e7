//! Files that only their owner can read.

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Replaces a file, or creates it. A crash leaves the old content or the new one. The mode of an existing file does not matter, and
/// a link is replaced, not followed.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension(format!("{}.new", std::process::id()));
    // From a process that had this number and was killed.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn an_existing_file_becomes_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.key");
        fs::write(&path, "a longer old text").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.key"), folder.path().join("other"));
        fs::write(&other, "other").unwrap();
        symlink(&other, &path).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "other");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
    }
}
