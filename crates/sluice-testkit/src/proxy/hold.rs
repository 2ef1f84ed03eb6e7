//! A message that is held back on its way to the server.

use std::{sync::Arc, time::Duration};

use parking_lot::{Condvar, Mutex};

use crate::wait_for;

const PATIENCE: Duration = Duration::from_secs(30);

/// Holds back one message, and what follows it on its connection, until it is dropped.
#[derive(Debug)]
pub struct Hold {
    trap: Arc<Trap>,
}

impl Hold {
    pub(super) fn of(trap: Arc<Trap>) -> Hold {
        Hold { trap }
    }

    /// Waits until a message is held.
    pub async fn caught(&self) {
        wait_for(PATIENCE, "a message to be held", async || {
            (*self.trap.state.lock() == State::Caught).then_some(())
        })
        .await;
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        *self.trap.state.lock() = State::Open;
        self.trap.opened.notify_all();
    }
}

/// What a connection passes through. It catches one message.
#[derive(Debug)]
pub(super) struct Trap {
    bytes: &'static [u8],
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Set,
    Caught,
    Open,
}

impl Trap {
    /// For the first message with these bytes, which should come in one piece.
    pub(super) fn new(bytes: &'static [u8]) -> Trap {
        Trap {
            bytes,
            state: Mutex::new(State::Set),
            opened: Condvar::new(),
        }
    }

    /// The place in a chunk from which on it is held.
    pub(super) fn catch(&self, chunk: &[u8]) -> Option<usize> {
        let mut windows = chunk.windows(self.bytes.len());
        let place = windows.position(|window| window == self.bytes)?;
        let mut state = self.state.lock();
        (*state == State::Set).then(|| {
            *state = State::Caught;
            place
        })
    }

    pub(super) fn wait_until_opened(&self) {
        let mut state = self.state.lock();
        self.opened
            .wait_while(&mut state, |state| *state == State::Caught);
    }
}
