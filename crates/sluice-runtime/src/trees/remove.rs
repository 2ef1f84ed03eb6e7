//! Removes a folder and everything in it, however deep.

use std::{ffi::CStr, fs, io, path::Path};

use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, Dir, Mode, RenameFlags},
    io::Errno,
};

use super::open::{is_folder, make_usable, next_entry, open_folder, open_path};

/// Removes the folder at `path`. Nothing may write to it any more.
///
/// Folders in a folder move up to the top before it is removed, so that two handles are enough for any depth.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    let mut top = Top {
        handle: open_path(path)?,
        moved: 0,
    };
    while top.remove_entries()? {}
    fs::remove_dir(path)
}

struct Top {
    handle: OwnedFd,
    /// The number of names given to folders that moved up.
    moved: u64,
}

impl Top {
    /// Removes what is in the folder. Returns whether there was anything.
    fn remove_entries(&mut self) -> io::Result<bool> {
        let mut listing = Dir::read_from(&self.handle)?;
        let mut found = false;
        while let Some(entry) = next_entry(&mut listing)? {
            found = true;
            if is_folder(&self.handle, &entry)? {
                self.remove_folder(entry.file_name())?;
            } else {
                rustix::fs::unlinkat(&self.handle, entry.file_name(), AtFlags::empty())?;
            }
        }
        Ok(found)
    }

    /// Removes a folder in the top folder.
    fn remove_folder(&mut self, name: &CStr) -> io::Result<()> {
        let folder = open_folder(&self.handle, name)?;
        // Only those who may write to a folder can remove its entries.
        rustix::fs::fchmod(&folder, Mode::RWXU)?;
        loop {
            self.clear(&folder)?;
            match rustix::fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR) {
                // A listing may miss an entry while others are removed.
                Err(Errno::NOTEMPTY) => {}
                removed => return Ok(removed?),
            }
        }
    }

    /// Removes the files of a folder, and moves its folders up.
    fn clear(&mut self, folder: &OwnedFd) -> io::Result<()> {
        let mut listing = Dir::read_from(folder)?;
        while let Some(entry) = next_entry(&mut listing)? {
            if is_folder(folder, &entry)? {
                self.move_up(folder, entry.file_name())?;
            } else {
                rustix::fs::unlinkat(folder, entry.file_name(), AtFlags::empty())?;
            }
        }
        Ok(())
    }

    fn move_up(&mut self, parent: &OwnedFd, name: &CStr) -> io::Result<()> {
        let mut is_usable = false;
        loop {
            self.moved += 1;
            let free = format!("moved-{}", self.moved);
            let top = &self.handle;
            match rustix::fs::renameat_with(parent, name, top, free, RenameFlags::NOREPLACE) {
                // The component has given this name itself.
                Err(Errno::EXIST) => {}
                // A folder changes with its parent, so its owner must be allowed to write to it.
                Err(Errno::ACCESS) if !is_usable => {
                    make_usable(parent, name)?;
                    is_usable = true;
                }
                moved => return Ok(moved?),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A folder `depth` levels deep, made as a component does it: trees are moved into each other.
    fn nest(top: &Path, depth: usize) {
        fs::create_dir(top).unwrap();
        let handle = open_path(top).unwrap();
        let mut names = ["a", "b"];
        rustix::fs::mkdirat(&handle, names[0], Mode::RWXU).unwrap();
        for _ in 1..depth {
            rustix::fs::mkdirat(&handle, names[1], Mode::RWXU).unwrap();
            let into = format!("{}/x", names[1]);
            rustix::fs::renameat(&handle, names[0], &handle, into).unwrap();
            names.swap(0, 1);
        }
    }

    #[test]
    fn a_tree_deeper_than_any_path_and_any_stack_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        nest(&top, 20_000);
        remove_tree(&top).unwrap();
        assert!(!top.exists());
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (top, kept) = (folder.path().join("top"), folder.path().join("kept"));
        fs::create_dir_all(top.join("deep")).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "kept").unwrap();
        symlink(&kept, top.join("link")).unwrap();
        symlink(&kept, top.join("deep/link")).unwrap();
        remove_tree(&top).unwrap();
        assert_eq!(fs::read_to_string(kept.join("file")).unwrap(), "kept");
    }

    #[test]
    fn folders_without_rights_and_names_in_use_are_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        for number in 1..5 {
            fs::create_dir_all(top.join(format!("moved-{number}/inner/moved-1"))).unwrap();
            fs::write(top.join(format!("moved-{number}/inner/file")), "x").unwrap();
        }
        for locked in ["moved-1/inner", "moved-2", "moved-3/inner/moved-1"] {
            fs::set_permissions(top.join(locked), fs::Permissions::from_mode(0o000)).unwrap();
        }
        remove_tree(&top).unwrap();
        assert!(!top.exists());
    }
}
