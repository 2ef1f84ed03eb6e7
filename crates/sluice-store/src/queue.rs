//! The queue between the callers and the database threads.
//!
//! It is bounded: while it is full, callers wait and keep their data to themselves. A closed queue accepts no more jobs, and still hands
//! out those it has, so that closing loses none.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::Semaphore;

use crate::{
    error::{Result, StoreError},
    job::Job,
};

/// Several groups of commits, so that the threads never run dry.
const MAX_WAITING: usize = 4096;

/// Jobs in the order they came, for any number of threads.
pub(crate) struct JobQueue {
    permits: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Box<dyn Job>>,
    closed: bool,
    /// Threads without a job. The last one gets the next job, so that a light load uses few connections.
    idle: Vec<Arc<Condvar>>,
}

impl Default for JobQueue {
    fn default() -> JobQueue {
        JobQueue::bounded(MAX_WAITING)
    }
}

impl JobQueue {
    fn bounded(jobs: usize) -> JobQueue {
        JobQueue {
            permits: Semaphore::new(jobs),
            state: Mutex::default(),
        }
    }

    /// Waits while the queue is full.
    pub(crate) async fn push(&self, job: Box<dyn Job>) -> Result<()> {
        let closed = || StoreError::Unavailable("the store is closed".to_owned());
        let permit = self.permits.acquire().await.map_err(|_| closed())?;
        let mut state = self.state.lock();
        if state.closed {
            return Err(closed());
        }
        // It comes back when the job leaves the queue.
        permit.forget();
        state.waiting.push_back(job);
        let idle = state.idle.pop();
        drop(state);
        if let Some(thread) = idle {
            thread.notify_one();
        }
        Ok(())
    }

    /// Waits for the next job; `None` when the queue is closed and empty.
    pub(crate) fn pop(&self) -> Option<Box<dyn Job>> {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.waiting.pop_front() {
                self.permits.add_permits(1);
                return Some(job);
            }
            if state.closed {
                return None;
            }
            wait(&mut state);
        }
    }

    /// Waits for a job, then moves it and all that wait behind it, `limit` at most, into `group`.
    /// Leaves `group` empty when the queue is closed and empty.
    pub(crate) fn pop_group(&self, limit: usize, group: &mut VecDeque<Box<dyn Job>>) {
        let mut state = self.state.lock();
        while state.waiting.is_empty() && !state.closed {
            wait(&mut state);
        }
        let count = state.waiting.len().min(limit);
        group.extend(state.waiting.drain(..count));
        self.permits.add_permits(count);
    }

    pub(crate) fn close(&self) {
        self.permits.close();
        let mut state = self.state.lock();
        state.closed = true;
        for thread in state.idle.drain(..) {
            thread.notify_one();
        }
    }
}

/// Waits for a job. Another thread may take it first.
fn wait(state: &mut MutexGuard<'_, State>) {
    let thread = Arc::new(Condvar::new());
    state.idle.push(Arc::clone(&thread));
    thread.wait(state);
    // Usually the thread that woke this one removed it. A condition variable may also wake up on its own.
    state.idle.retain(|idle| !Arc::ptr_eq(idle, &thread));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Access, job};

    fn nothing() -> Box<dyn Job> {
        job(Access::Read, |_| Ok(())).0
    }

    #[tokio::test]
    async fn a_full_queue_makes_its_callers_wait_until_a_job_leaves_it() {
        let queue = Arc::new(JobQueue::bounded(2));
        queue.push(nothing()).await.expect("room");
        queue.push(nothing()).await.expect("room");
        let waiting = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.push(nothing()).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        assert!(queue.pop().is_some());
        waiting.await.expect("a task").expect("room");
        let mut group = VecDeque::new();
        queue.pop_group(10, &mut group);
        assert_eq!(group.len(), 2);
    }

    #[tokio::test]
    async fn closing_a_full_queue_rejects_those_that_wait_and_keeps_its_jobs() {
        let queue = Arc::new(JobQueue::bounded(1));
        queue.push(nothing()).await.expect("room");
        let waiting = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.push(nothing()).await }
        });
        tokio::task::yield_now().await;
        queue.close();
        assert!(waiting.await.expect("a task").is_err());
        assert!(queue.pop().is_some());
        assert!(queue.pop().is_none());
    }
}
