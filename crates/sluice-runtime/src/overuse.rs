//! The resources that a process used too much of.

use std::fmt;

pub(crate) const MAX_FILES: u64 = 20_000;
/// Measuring keeps a handle of each level open.
pub(crate) const MAX_DEPTH: usize = 64;
/// Deno has about ten, and a pool of about thirty for files and name resolution. Each worker adds one or two.
pub(crate) const MAX_THREADS: u64 = 128;

/// A resource limit that a process exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overuse {
    Memory {
        limit: u64,
    },
    /// All processes of the account together.
    AccountMemory {
        limit: u64,
    },
    Disk {
        limit: u64,
    },
    Files,
    Depth,
    Threads,
}

impl Overuse {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Overuse::Memory { .. } | Overuse::AccountMemory { .. } => "OutOfMemory",
            Overuse::Disk { .. } | Overuse::Files | Overuse::Depth => "DiskLimit",
            Overuse::Threads => "ThreadLimit",
        }
    }
}

impl fmt::Display for Overuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: &u64| bytes / (1024 * 1024);
        match self {
            Overuse::Memory { limit } => {
                write!(f, "it used more than {} MB of memory", megabytes(limit))
            }
            Overuse::AccountMemory { limit } => write!(
                f,
                "the processes of its account used more than {} MB of memory together",
                megabytes(limit)
            ),
            Overuse::Disk { limit } => {
                write!(f, "its temporary files grew beyond {} MB", megabytes(limit))
            }
            Overuse::Files => write!(f, "it has more than {MAX_FILES} temporary files"),
            Overuse::Depth => write!(
                f,
                "its temporary folders are nested more than {MAX_DEPTH} levels deep"
            ),
            Overuse::Threads => write!(f, "it has more than {MAX_THREADS} threads"),
        }
    }
}
