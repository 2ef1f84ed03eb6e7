//! Processes that have started already: a source that gets its first work takes one, and the start-up is off the path.
//!
//! Most are empty. When the last two processes that needed packages needed the same ones, one more waits with these
//! imported, because importing them is what takes longest then; it is given to nobody who does not need them.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use sluice_model::ModuleFormat;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    packages::PackageLock,
    process::Started,
    runtime::Inner,
    spec::{ModuleSpec, Preload, ProcessSpec},
};

/// Until the next look whether a rush is over.
const RUSH: Duration = Duration::from_millis(50);
/// After a process that could not be started.
const PAUSE: Duration = Duration::from_secs(5);

pub(crate) struct Pool {
    size: usize,
    waiting: Mutex<Waiting>,
    filling: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    empty: VecDeque<Started>,
    primed: Option<(Priming, Started)>,
    last: Option<Priming>,
    /// What the next process with packages is likely to need.
    likely: Option<Priming>,
}

/// The packages that a process imports ahead, in the form in which its component will ask for them.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Priming {
    pub(crate) lock: Arc<PackageLock>,
    pub(crate) format: ModuleFormat,
}

impl Priming {
    /// None for what has no packages, and for several modules with packages each: nobody else is likely to have the same.
    pub(crate) fn of(spec: &ProcessSpec) -> Option<Priming> {
        let [
            ModuleSpec {
                packages: Some(lock),
                format,
                ..
            },
        ] = spec.modules.as_slice()
        else {
            return None;
        };
        Some(Priming {
            lock: Arc::clone(lock),
            format: *format,
        })
    }
}

enum Lack {
    Empty,
    Primed(Priming),
}

impl Pool {
    pub(crate) fn new(size: usize) -> Pool {
        Pool {
            size,
            waiting: Mutex::default(),
            filling: AtomicBool::new(false),
        }
    }

    /// The best that waits, of those that still live.
    pub(crate) fn take(&self, priming: Option<&Priming>) -> Option<Started> {
        let mut waiting = self.waiting.lock();
        if let Some(wanted) = priming {
            if waiting.last.as_ref() == Some(wanted) {
                waiting.likely = Some(wanted.clone());
            }
            waiting.last = Some(wanted.clone());
            let fits = |(primed, _): &mut (Priming, Started)| primed == wanted;
            if let Some((_, mut started)) = waiting.primed.take_if(fits)
                && is_alive(&mut started)
            {
                return Some(started);
            }
        }
        while let Some(mut started) = waiting.empty.pop_front() {
            if is_alive(&mut started) {
                return Some(started);
            }
        }
        None
    }

    /// Starts what is missing, one after the other and in the background.
    pub(crate) fn refill(runtime: &Arc<Inner>) {
        let pool = &runtime.pool;
        if pool.lack().is_none() || pool.filling.swap(true, Ordering::SeqCst) {
            return;
        }
        let runtime = Arc::downgrade(runtime);
        tokio::spawn(async move {
            while let Some(runtime) = runtime.upgrade() {
                if !fill_one(&runtime).await && runtime.pool.stop_filling() {
                    return;
                }
            }
        });
    }

    /// False when something was taken at the last moment, so that filling goes on.
    fn stop_filling(&self) -> bool {
        self.filling.store(false, Ordering::SeqCst);
        self.is_full() || self.filling.swap(true, Ordering::SeqCst)
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        let waiting = self.waiting.lock();
        waiting.empty.len() + usize::from(waiting.primed.is_some())
    }

    /// Whether everything waits that should.
    pub(crate) fn is_full(&self) -> bool {
        self.lack().is_none()
    }

    fn lack(&self) -> Option<Lack> {
        let waiting = self.waiting.lock();
        if waiting.empty.len() < self.size {
            return Some(Lack::Empty);
        }
        let likely = waiting.likely.as_ref().filter(|_| self.size > 0)?;
        let has_it = waiting
            .primed
            .as_ref()
            .is_some_and(|(primed, _)| primed == likely);
        (!has_it).then(|| Lack::Primed(likely.clone()))
    }
}

/// A slot that no process waits for which is needed at once. In a rush nothing is made for later: it would only make the
/// rush longer.
async fn when_nobody_needs_it(slots: &Semaphore) -> SemaphorePermit<'_> {
    loop {
        if let Ok(slot) = slots.try_acquire() {
            return slot;
        }
        tokio::time::sleep(RUSH).await;
    }
}

fn is_alive(started: &mut Started) -> bool {
    matches!(started.child.try_wait(), Ok(None))
}

/// False when nothing is missing.
async fn fill_one(runtime: &Inner) -> bool {
    let Some(lack) = runtime.pool.lack() else {
        return false;
    };
    if let Err(error) = fill(runtime, lack).await {
        tracing::warn!(%error, "a process that was to wait for a component could not be started");
        tokio::time::sleep(PAUSE).await;
    }
    true
}

async fn fill(runtime: &Inner, lack: Lack) -> std::io::Result<()> {
    let _slot = when_nobody_needs_it(&runtime.starting).await;
    let mut started = runtime.spawn(Preload::NodeModules)?;
    runtime.until_ready(&mut started).await?;
    match lack {
        Lack::Empty => runtime.pool.waiting.lock().empty.push_back(started),
        Lack::Primed(priming) => {
            let primed = runtime.prime(&mut started, &priming).await;
            let mut waiting = runtime.pool.waiting.lock();
            if let Err(error) = primed {
                // Whoever needs these packages will be told why.
                tracing::debug!(%error, "packages could not be imported ahead");
                waiting.likely = None;
            } else {
                waiting.primed = Some((priming, started));
            }
        }
    }
    Ok(())
}
