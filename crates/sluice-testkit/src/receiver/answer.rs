//! The scripted responses of the receiver.

use std::time::Duration;

#[derive(Debug, Clone)]
pub enum Answer {
    Reply(Reply),
    /// Reads the request and never responds.
    Hang,
    /// Closes the connection without a response.
    Close,
}

/// A response and its delay.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
    pub(super) after: Duration,
}

impl Answer {
    /// An immediate response without a body.
    pub fn status(status: u16) -> Answer {
        Answer::Reply(Reply {
            status,
            headers: Vec::new(),
            body: String::new(),
            after: Duration::ZERO,
        })
    }

    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Answer {
        self.with(|reply| reply.headers.push((name.to_owned(), value.to_owned())))
    }

    #[must_use]
    pub fn body(self, body: impl Into<String>) -> Answer {
        self.with(|reply| reply.body = body.into())
    }

    /// Delays the response.
    #[must_use]
    pub fn after(self, delay: Duration) -> Answer {
        self.with(|reply| reply.after = delay)
    }

    fn with(mut self, change: impl FnOnce(&mut Reply)) -> Answer {
        match &mut self {
            Answer::Reply(reply) => change(reply),
            Answer::Hang | Answer::Close => panic!("{self:?} has no headers or body"),
        }
        self
    }
}
