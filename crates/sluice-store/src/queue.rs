//! The queue between the callers and the database threads.
//!
//! It is unbounded, because each job has a caller that waits for its result. A closed queue accepts no more jobs, and
//! still hands out those it has, so that closing loses none.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};

use crate::{
    error::{Result, StoreError},
    job::Job,
};

/// Jobs in the order they came, for any number of threads.
#[derive(Default)]
pub(crate) struct JobQueue {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Box<dyn Job>>,
    closed: bool,
}

impl JobQueue {
    pub(crate) fn push(&self, job: Box<dyn Job>) -> Result<()> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(StoreError::Unavailable("the store is closed".to_owned()));
        }
        state.waiting.push_back(job);
        drop(state);
        self.arrived.notify_one();
        Ok(())
    }

    /// Waits for the next job; `None` when the queue is closed and empty.
    pub(crate) fn pop(&self) -> Option<Box<dyn Job>> {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.waiting.pop_front() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            self.arrived.wait(&mut state);
        }
    }

    /// Waits for a job, then moves it and all that wait behind it, `limit` at most, into `group`.
    /// Leaves `group` empty when the queue is closed and empty.
    pub(crate) fn pop_group(&self, limit: usize, group: &mut VecDeque<Box<dyn Job>>) {
        let mut state = self.state.lock();
        while state.waiting.is_empty() && !state.closed {
            self.arrived.wait(&mut state);
        }
        let count = state.waiting.len().min(limit);
        group.extend(state.waiting.drain(..count));
    }

    pub(crate) fn close(&self) {
        self.state.lock().closed = true;
        self.arrived.notify_all();
    }
}
