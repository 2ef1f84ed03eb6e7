//! The channel between the server and the harness of a process: two named pipes, with a line of JSON per message.
//!
//! The harness opens the pipes and reads the key of the process before any component code is there, and then the files of
//! the pipes are removed. Every line of the harness begins with the key. Code that finds a pipe nevertheless (Node can use a
//! descriptor by its number) cannot forge a line, and what it may read from the pipe does not contain the key.

mod key;
mod pipes;

use std::io;

pub(crate) use key::Key;
pub(crate) use pipes::{FROM_HARNESS, TO_HARNESS};
use tokio::{
    io::AsyncWriteExt,
    net::unix::pipe::{Receiver, Sender},
};

use self::pipes::OpenPipes;
use crate::{
    deno_process::InstanceFolder,
    lines::LineReader,
    protocol::{self, Message},
};

pub(crate) struct Channel {
    pub(crate) sender: Sender,
    pub(crate) lines: LineReader<Receiver>,
    pub(crate) key: Key,
    /// Until the harness has opened its ends.
    waiting: Option<OpenPipes>,
}

impl Channel {
    /// Makes the pipes in the folder of a process.
    pub(crate) fn create(folder: &InstanceFolder, max_line: usize) -> io::Result<Channel> {
        let (pipes, sender, receiver) = OpenPipes::create(folder.path(), folder.user())?;
        let key = Key::random();
        // The pipe is empty, so this does not block.
        rustix::io::write(&sender, format!("{key}\n").as_bytes())?;
        Ok(Channel {
            sender,
            lines: LineReader::new(receiver, max_line),
            key,
            waiting: Some(pipes),
        })
    }

    /// Whether the harness has opened its ends.
    pub(crate) fn is_open(&self) -> bool {
        self.waiting.is_none()
    }

    pub(crate) async fn send(&mut self, line: &str) -> io::Result<()> {
        self.sender.write_all(line.as_bytes()).await
    }

    /// The next message of a process without invocations: its text if it is invalid, `None` at the end of the process.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Result<Message, String>>> {
        loop {
            if let Some(line) = self.lines.next_line() {
                let message = protocol::parse(&line, self.key).map(|(_, message)| message);
                if let Ok(Message::Ready) = message {
                    self.waiting = None;
                }
                return Ok(Some(message));
            }
            if !self.lines.fill().await? {
                return Ok(None);
            }
        }
    }
}
