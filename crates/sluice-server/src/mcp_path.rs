//! The address of the server of the Model Context Protocol.

pub(crate) const PATH: &str = "/mcp";
