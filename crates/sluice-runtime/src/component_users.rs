//! The system users of component processes, if they are not the server's own.

use std::{io, path::Path, str::FromStr};

use rustix::{
    fd::AsFd,
    fs::{AtFlags, Gid, Uid},
};

/// A range of user ids. Each process gets the next one, also as its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentUsers {
    first: u32,
    last: u32,
}

impl FromStr for ComponentUsers {
    type Err = &'static str;

    /// Parses `first-last`.
    fn from_str(text: &str) -> Result<ComponentUsers, Self::Err> {
        let (first, last) = text
            .split_once('-')
            .ok_or("it must be a range, such as 100000-100999")?;
        let number = |text: &str| text.trim().parse().map_err(|_| "user ids are numbers");
        let (first, last) = (number(first)?, number(last)?);
        if first == 0 {
            return Err("0 is root");
        }
        // The largest number means "no user".
        if last < first || last == u32::MAX {
            return Err("the last user id must not be below the first");
        }
        Ok(ComponentUsers { first, last })
    }
}

impl ComponentUsers {
    /// The user of the process with this number.
    pub(crate) fn of_process(self, number: u64) -> SystemUser {
        let count = u64::from(self.last - self.first) + 1;
        let offset = u32::try_from(number % count).unwrap_or_default();
        SystemUser(self.first + offset)
    }
}

/// A user of the machine, and the group of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SystemUser(u32);

impl SystemUser {
    pub(crate) fn id(self) -> u32 {
        self.0
    }

    fn ids(self) -> (Option<Uid>, Option<Gid>) {
        (Some(Uid::from_raw(self.0)), Some(Gid::from_raw(self.0)))
    }

    /// Makes the user the owner of a file or folder.
    pub(crate) fn own(self, path: &Path) -> io::Result<()> {
        let (user, group) = self.ids();
        Ok(rustix::fs::chown(path, user, group)?)
    }

    /// Makes the user the owner of an open file or folder, which may be open as a path only.
    pub(crate) fn own_open(self, file: impl AsFd) -> io::Result<()> {
        let (user, group) = self.ids();
        let itself = AtFlags::EMPTY_PATH;
        Ok(rustix::fs::chownat(file, "", user, group, itself)?)
    }

    /// Lets only the user and the server into a folder of the server.
    pub(crate) fn admit(self, folder: &Path) -> io::Result<()> {
        let (_, group) = self.ids();
        rustix::fs::chown(folder, None, group)?;
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o750);
        std::fs::set_permissions(folder, mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_parsed_and_used_in_turns() {
        let users: ComponentUsers = "100000-100002".parse().unwrap();
        let ids: Vec<u32> = (0..5).map(|n| users.of_process(n).id()).collect();
        assert_eq!(ids, [100_000, 100_001, 100_002, 100_000, 100_001]);
        for wrong in ["", "5", "0-10", "7-6", "a-b", "-1-5", "1-4294967295"] {
            assert!(wrong.parse::<ComponentUsers>().is_err(), "{wrong}");
        }
    }
}
