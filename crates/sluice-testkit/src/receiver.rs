//! An HTTP receiver on loopback, for webhooks: a test scripts its answers and reads what it got.
//!
//! It has a thread and a runtime of its own, so that it belongs to no test's runtime and keeps up with a server under
//! load.

mod answer;
mod serving;

use std::{
    collections::BTreeMap,
    fmt,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde_json::Value;
use tokio::{sync::oneshot, time::sleep};

pub use self::answer::Answer;

const PATIENCE: Duration = Duration::from_mins(1);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Its place among all requests, from 1.
    pub number: usize,
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names in lower case; the values of a repeated name are joined with commas.
    pub headers: BTreeMap<String, String>,
    pub body: String,
    /// When all of it was there.
    pub received_at: Instant,
    /// The status it was answered with; none as long as there is no answer.
    pub answered: Option<u16>,
}

impl Delivery {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The body as JSON, which it must be.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("not JSON: {error}: {:?}", self.body))
    }
}

/// A receiver that runs until it is dropped.
pub struct Receiver {
    url: String,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    /// None when the receiver only counts.
    script: Option<Script>,
    log: Mutex<Log>,
}

type Script = Box<dyn Fn(&Delivery) -> Answer + Send + Sync>;

#[derive(Default)]
struct Log {
    count: usize,
    last_at: Option<Instant>,
    /// Stays empty when the receiver only counts.
    requests: Vec<Delivery>,
}

impl Receiver {
    /// Keeps every request, and answers it as `script` says; the request's number tells the first try from later ones.
    pub fn start(script: impl Fn(&Delivery) -> Answer + Send + Sync + 'static) -> Receiver {
        Receiver::serve(Some(Box::new(script)))
    }

    /// Answers every request with 200, and keeps nothing but their number.
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
        // The connections are tasks of the runtime, and end with it.
        let thread = thread::spawn(move || runtime.block_on(serving));
        Receiver {
            url: format!("http://{address}"),
            shared,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// The address of a path here, which begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// The requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Delivery> {
        self.shared.log.lock().requests.clone()
    }

    /// How many requests have come.
    pub fn count(&self) -> usize {
        self.shared.log.lock().count
    }

    /// When the last request came.
    pub fn last_at(&self) -> Option<Instant> {
        self.shared.log.lock().last_at
    }

    /// Waits until at least `count` requests have come, and gives all of them.
    pub async fn wait_for(&self, count: usize) -> Vec<Delivery> {
        self.wait_within(PATIENCE, count).await;
        self.requests()
    }

    /// As [`Receiver::wait_for`], for as long as the caller says, and without the requests.
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
        // Both fail only when the thread has ended already.
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
