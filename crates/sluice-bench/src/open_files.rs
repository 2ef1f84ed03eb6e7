//! Raises the limit on open files, for thousands of connections. The server inherits the limit.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the soft limit to the hard limit.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        eprintln!("the limit on open files stays as it is: {error}");
    }
}
