//! Errors of the outbox's construction.

#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// A setting that cannot be used; the text names it.
    #[error("{0}")]
    Setting(String),
    #[error("no HTTP client: {0}")]
    Client(#[from] reqwest::Error),
}
