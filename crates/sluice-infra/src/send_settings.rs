//! The operator's settings for `$.send`: HTTP, mail and S3.

use std::{fmt, time::Duration};

#[derive(Debug, Clone)]
pub struct SendSettings {
    /// Pauses between the attempts of a send, one for each retry.
    pub retries: Vec<Duration>,
    /// Timeout of one HTTP request, including the response.
    pub http_timeout: Duration,
    /// Concurrent attempts.
    pub max_concurrent: usize,
    /// Mail is disabled without it.
    pub smtp: Option<SmtpSettings>,
    /// S3 is disabled without it.
    pub s3: Option<S3Settings>,
}

#[derive(Clone)]
pub struct SmtpSettings {
    /// `smtp://` or `smtps://`, with user and password when the server needs them.
    pub url: String,
    /// The sender's address.
    pub from: String,
}

#[derive(Clone)]
pub struct S3Settings {
    pub endpoint: String,
    pub region: String,
    pub access_key_id: String,
    pub secret_access_key: String,
}

/// Hides the password.
impl fmt::Debug for SmtpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpSettings")
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}

/// Hides the keys.
impl fmt::Debug for S3Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Settings")
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}
