//! Commands on one source.

mod target;

pub(crate) use target::Target;
