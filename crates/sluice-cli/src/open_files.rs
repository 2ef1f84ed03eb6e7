//! Thousands of connections need as many open files, and most systems allow a program few unless it asks for more.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the limit on open files as far as we may. Components get a limit of their own.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit on open files stays as it is");
    }
}
