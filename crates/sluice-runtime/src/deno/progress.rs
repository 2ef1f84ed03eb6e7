//! The progress of an install.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallProgress {
    Started,
    Running { elapsed: Duration, bytes: u64 },
}
