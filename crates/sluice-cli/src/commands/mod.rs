//! The commands that are clients of a server.

pub(crate) mod output;
pub(crate) mod yaml;
