//! The limits of the packages of one component.

use std::{fmt, time::Duration};

use crate::trees::Measured;

/// How packages are installed.
#[derive(Debug, Clone, Copy)]
pub struct PackageSettings {
    /// The time limit for fetching the packages of one component.
    pub timeout: Duration,
    pub limits: PackageLimits,
    /// The number of installs that one user may have at once.
    pub installs_per_user: usize,
}

/// Limits of all packages of one component together, as unpacked.
#[derive(Debug, Clone, Copy)]
pub struct PackageLimits {
    pub bytes: u64,
    /// Files and folders.
    pub files: u64,
    /// Levels of folders. Measuring keeps a handle of each level open.
    pub depth: usize,
}

impl PackageLimits {
    pub(super) fn exceeded_by(&self, measured: &Measured) -> Option<Excess> {
        if measured.bytes > self.bytes {
            Some(Excess::Size(self.bytes))
        } else if measured.files > self.files {
            Some(Excess::Files(self.files))
        } else if measured.depth > self.depth {
            Some(Excess::Depth(self.depth))
        } else {
            None
        }
    }
}

/// A limit that packages exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excess {
    Size(u64),
    Files(u64),
    Depth(usize),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Excess::Size(limit) => write!(
                f,
                "they unpack to more than {} MB (limit max-package-size)",
                limit / (1024 * 1024)
            ),
            Excess::Files(limit) => write!(
                f,
                "they have more than {limit} files and folders (limit max-package-files)"
            ),
            Excess::Depth(limit) => write!(
                f,
                "their folders are nested more than {limit} levels deep (limit max-package-depth)"
            ),
        }
    }
}
