//! The pool of idle processes, which take the start of a process off the path of an event.
//!
//! Most are empty. If the last two processes with packages had the same ones, one more process is kept that has imported
//! them, because importing takes longest. It is only used for these packages.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use sluice_model::ModuleFormat;

use crate::{
    deno_process::StartedChild,
    packages::PackageLock,
    spec::{ModuleSpec, ProcessSpec},
};

pub(crate) struct Pool {
    size: usize,
    idle: Mutex<Idle>,
    filling: AtomicBool,
}

#[derive(Default)]
struct Idle {
    empty: VecDeque<StartedChild>,
    primed: Option<(Priming, StartedChild)>,
    last: Option<Priming>,
    /// The packages that the next process is likely to need.
    likely: Option<Priming>,
}

impl Idle {
    /// Removes processes that died, so that they are reaped and replaced.
    fn remove_dead(&mut self) {
        self.empty.retain_mut(is_alive);
        self.primed.take_if(|(_, child)| !is_alive(child));
    }
}

/// The packages that a process imports ahead, and how its component imports them.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Priming {
    pub(crate) lock: Arc<PackageLock>,
    pub(crate) format: ModuleFormat,
}

impl Priming {
    /// `None` without packages, and for several modules, because other processes are unlikely to have the same.
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

/// A process that was taken from the pool.
pub(crate) struct Pooled {
    child: StartedChild,
    /// The packages that it has imported.
    priming: Option<Priming>,
}

impl Pooled {
    pub(crate) fn into_live(mut self) -> Option<StartedChild> {
        is_alive(&mut self.child).then_some(self.child)
    }
}

/// A process that is missing in the pool.
pub(crate) enum Missing {
    Empty,
    Primed(Priming),
}

impl Pool {
    pub(crate) fn new(size: usize) -> Pool {
        Pool {
            size,
            idle: Mutex::default(),
            filling: AtomicBool::new(false),
        }
    }

    /// Takes the best idle process that is still alive.
    pub(crate) fn take(&self, priming: Option<&Priming>) -> Option<Pooled> {
        let mut idle = self.idle.lock();
        if let Some(wanted) = priming {
            if idle.last.as_ref() == Some(wanted) {
                idle.likely = Some(wanted.clone());
            }
            idle.last = Some(wanted.clone());
            let fits = |(primed, _): &mut (Priming, StartedChild)| primed == wanted;
            if let Some((priming, mut child)) = idle.primed.take_if(fits)
                && is_alive(&mut child)
            {
                let priming = Some(priming);
                return Some(Pooled { child, priming });
            }
        }
        while let Some(mut child) = idle.empty.pop_front() {
            if is_alive(&mut child) {
                let priming = None;
                return Some(Pooled { child, priming });
            }
        }
        None
    }

    /// Returns a process that was taken and not used. Another one may have been started in its place.
    pub(crate) fn put_back(&self, Pooled { child, priming }: Pooled) {
        let mut idle = self.idle.lock();
        match priming {
            None => idle.empty.push_front(child),
            Some(priming) => idle.primed = Some((priming, child)),
        }
    }

    /// Returns false if another task fills the pool, or nothing is missing.
    pub(crate) fn begin_filling(&self) -> bool {
        self.missing().is_some() && !self.filling.swap(true, Ordering::SeqCst)
    }

    /// Returns false if a process was taken meanwhile, so that filling continues.
    pub(crate) fn stop_filling(&self) -> bool {
        self.filling.store(false, Ordering::SeqCst);
        self.is_full() || self.filling.swap(true, Ordering::SeqCst)
    }

    pub(crate) fn add_empty(&self, child: StartedChild) {
        self.idle.lock().empty.push_back(child);
    }

    pub(crate) fn add_primed(&self, priming: Priming, child: StartedChild) {
        self.idle.lock().primed = Some((priming, child));
    }

    /// Stops priming processes until packages repeat again.
    pub(crate) fn forget_likely(&self) {
        self.idle.lock().likely = None;
    }

    /// The number of idle processes.
    pub(crate) fn len(&self) -> usize {
        let mut idle = self.idle.lock();
        idle.remove_dead();
        idle.empty.len() + usize::from(idle.primed.is_some())
    }

    /// Whether no process is missing.
    pub(crate) fn is_full(&self) -> bool {
        self.missing().is_none()
    }

    pub(crate) fn missing(&self) -> Option<Missing> {
        let mut idle = self.idle.lock();
        idle.remove_dead();
        if idle.empty.len() < self.size {
            return Some(Missing::Empty);
        }
        let likely = idle.likely.as_ref().filter(|_| self.size > 0)?;
        let has_it = idle
            .primed
            .as_ref()
            .is_some_and(|(primed, _)| primed == likely);
        (!has_it).then(|| Missing::Primed(likely.clone()))
    }
}

fn is_alive(started: &mut StartedChild) -> bool {
    matches!(started.child.try_wait(), Ok(None))
}
