//! The limit on open files. Each connection needs one, and the default soft limit is often 1024.

use rustix::process::{Resource, getrlimit, setrlimit};

/// The number of files that the process may open.
pub(crate) fn limit() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(usize::MAX)
}

/// Raises the soft limit to the hard limit. Component processes get a limit of their own.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "cannot raise the limit on open files");
    }
}
