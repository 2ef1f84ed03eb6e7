//! The origin of spans.

/// The server, as the collector shows it.
#[derive(Debug, Clone)]
pub struct Resource {
    pub service: String,
    pub version: String,
    pub instance: String,
}
