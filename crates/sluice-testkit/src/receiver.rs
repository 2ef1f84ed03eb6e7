//! An HTTP receiver on loopback, for webhooks. A test scripts its responses and reads the received requests.
//!
//! It has its own thread and runtime, so that it is independent of the test's runtime and fast enough for a server under
//! load.

mod answer;
mod record;
mod serving;

use std::{
    fmt,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::{sync::oneshot, time::sleep};

use self::record::{Script, Shared};
pub use self::{answer::Answer, record::Delivery};

const TIMEOUT: Duration = Duration::from_mins(1);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A receiver that runs until it is dropped.
pub struct Receiver {
    url: String,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Receiver {
    /// Records every request and responds as `script` says. The number of a request distinguishes attempts.
    pub fn start(script: impl Fn(&Delivery) -> Answer + Send + Sync + 'static) -> Receiver {
        Receiver::serve(Some(Box::new(script)))
    }

    /// Responds to every request with 200, and records only their number.
    pub fn counting() -> Receiver {
        Receiver::serve(None)
    }

    fn serve(script: Option<Script>) -> Receiver {
        let shared = Arc::new(Shared {
            script,
            log: Mutex::default(),
        });
        let (runtime, listener) = serving::listen().expect("a free port and a runtime");
        let address = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel();
        let serving = serving::serve(listener, Arc::clone(&shared), stopped);
        // The connections are tasks of the runtime and end with it.
        let thread = thread::spawn(move || runtime.block_on(serving));
        Receiver {
            url: format!("http://{address}"),
            shared,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// The URL of a path, which begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// The requests so far, in order.
    pub fn requests(&self) -> Vec<Delivery> {
        self.shared.log.lock().requests.clone()
    }

    /// The number of requests so far.
    pub fn count(&self) -> usize {
        self.shared.log.lock().count
    }

    /// When the last request was received.
    pub fn last_at(&self) -> Option<Instant> {
        self.shared.log.lock().last_at
    }

    /// Waits for at least `count` requests, and returns all of them.
    pub async fn wait_for(&self, count: usize) -> Vec<Delivery> {
        self.wait_within(TIMEOUT, count).await;
        self.requests()
    }

    /// As [`Receiver::wait_for`], with a timeout and without returning the requests.
    pub async fn wait_within(&self, deadline: Duration, count: usize) {
        let start = Instant::now();
        while self.count() < count {
            assert!(
                start.elapsed() < deadline,
                "{} of {count} requests came within {deadline:?}",
                self.count()
            );
            sleep(POLL_INTERVAL).await;
        }
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // Both fail only if the thread has already ended.
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
