//! What a script lets the receiver do with a request.

use std::time::Duration;

#[derive(Debug, Clone)]
pub enum Answer {
    Reply(Reply),
    /// Takes the request and never answers.
    Hang,
    /// Closes the connection without an answer.
    Close,
}

/// A response, and how long the sender waits for it.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
    pub(super) after: Duration,
}

impl Answer {
    /// An answer at once, without a body.
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

    /// Answers only after this time.
    #[must_use]
    pub fn after(self, delay: Duration) -> Answer {
        self.with(|reply| reply.after = delay)
    }

    fn with(mut self, change: impl FnOnce(&mut Reply)) -> Answer {
        match &mut self {
            Answer::Reply(reply) => change(reply),
            Answer::Hang | Answer::Close => panic!("{self:?} is no answer that could have more"),
        }
        self
    }
}
