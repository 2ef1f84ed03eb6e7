//! What an operator may set about sending.

use std::{fmt, time::Duration};

#[derive(Debug, Clone)]
pub struct SendSettings {
    /// Pauses between the tries of a send; as many as there are retries.
    pub retries: Vec<Duration>,
    /// For one HTTP request, with the answer.
    pub http_timeout: Duration,
    /// Tries that may be under way at once.
    pub most_at_once: usize,
    /// Without it no mail is sent.
    pub smtp: Option<SmtpSettings>,
    /// Without it nothing is written to S3.
    pub s3: Option<S3Settings>,
}

#[derive(Clone)]
pub struct SmtpSettings {
    /// `smtp://` or `smtps://`, with the user and the password if any are needed.
    pub url: String,
    /// The address that mail comes from.
    pub from: String,
}

#[derive(Clone)]
pub struct S3Settings {
    pub endpoint: String,
    pub region: String,
    pub access_key_id: String,
    pub secret_access_key: String,
}

/// Without the password.
impl fmt::Debug for SmtpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpSettings")
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}

/// Without the keys.
impl fmt::Debug for S3Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Settings")
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}
