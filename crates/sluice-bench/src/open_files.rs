//! Thousands of connections need as many open files, in this program and in the server, which inherits the limit.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the limit on open files as far as we may.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        eprintln!("the limit on open files stays as it is: {error}");
    }
}
