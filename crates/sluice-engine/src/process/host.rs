//! Hosts: the processes of one owner, by what they run. A source has one, a workflow one for each version in use.

use std::{
    collections::HashMap,
    future::poll_fn,
    hash::Hash,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use sluice_infra::Backoff;
use sluice_runtime::{LoadError, ProcessEvent, SharedPlace};
use tokio::{
    runtime::Handle,
    task::JoinHandle,
    time::{Instant, Sleep},
};

use super::live::LiveProcess;

/// The hosts of one owner. `P` is the program that a host runs.
pub(crate) struct Hosts<K, P>(HashMap<K, Host<P>>);

/// A place for one process: stopped, starting, live, or waiting to be started again.
pub(crate) struct Host<P> {
    pub(crate) program: P,
    /// Its configuration has changed: no new invocation starts in it.
    pub(crate) is_outdated: bool,
    state: State,
    backoff: Backoff,
    idle_since: Option<Instant>,
}

enum State {
    Stopped,
    /// A start failed.
    BackingOff(Pin<Box<Sleep>>),
    Starting(JoinHandle<Result<LiveProcess, LoadError>>),
    Live(Box<LiveProcess>),
}

pub(crate) enum HostEvent {
    Started,
    /// The host backs off before the next start.
    StartFailed(LoadError),
    BackoffElapsed,
    Events(Vec<ProcessEvent>),
    /// The process is gone; the host is stopped.
    Exited,
}

impl<K, P> Default for Hosts<K, P> {
    fn default() -> Self {
        Hosts(HashMap::new())
    }
}

impl<K: Clone + Eq + Hash, P> Hosts<K, P> {
    pub(crate) fn get(&self, key: &K) -> Option<&Host<P>> {
        self.0.get(key)
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut Host<P>> {
        self.0.get_mut(key)
    }

    pub(crate) fn live(&self, key: &K) -> Option<&LiveProcess> {
        self.0.get(key)?.live()
    }

    pub(crate) fn get_or_insert(&mut self, key: K, program: impl FnOnce() -> P) -> &mut Host<P> {
        self.0.entry(key).or_insert_with(|| Host::new(program()))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &Host<P>)> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut Host<P>)> {
        self.0.iter_mut()
    }

    /// Removes a host and stops its process.
    pub(crate) fn remove(&mut self, key: &K) {
        self.0.remove(key);
    }

    /// Removes hosts and stops their processes.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&K, &Host<P>) -> bool) {
        self.0.retain(|key, host| keep(key, host));
    }

    /// Whether no host has a process, live or starting.
    pub(crate) fn are_stopped(&self) -> bool {
        self.0
            .values()
            .all(|host| matches!(host.state, State::Stopped | State::BackingOff(_)))
    }

    /// Whether there is a process and all processes are idle.
    pub(crate) fn are_idle(&self) -> bool {
        !self.0.is_empty() && self.0.values().all(|host| host.idle_since.is_some())
    }

    /// The time at which the first idle process is to be stopped, not before `keep_until`.
    pub(crate) fn idle_deadline(
        &self,
        timeout: Duration,
        keep_until: Option<Instant>,
    ) -> Option<Instant> {
        let since = self.0.values().filter_map(|host| host.idle_since).min()?;
        Some(keep_until.map_or(since + timeout, |until| until.max(since + timeout)))
    }

    /// Stops processes that have been idle for `timeout`, not before `keep_until`.
    pub(crate) fn stop_idle(&mut self, timeout: Duration, keep_until: Option<Instant>) {
        let now = Instant::now();
        if keep_until.is_some_and(|until| until > now) {
            return;
        }
        self.0.retain(|_, host| {
            let is_kept = host
                .idle_since
                .is_none_or(|since| now.duration_since(since) < timeout);
            if !is_kept {
                host.leave();
            }
            is_kept
        });
    }

    /// The process, if there is one that others may share.
    pub(crate) fn place(&self) -> Option<SharedPlace> {
        let mut live = self.0.values().filter_map(Host::live);
        live.next()
            .filter(|_| live.next().is_none())
            .and_then(LiveProcess::place)
    }

    /// The next event of any host; never completes without hosts.
    pub(crate) async fn next(&mut self) -> (K, HostEvent) {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<(K, HostEvent)> {
        for (key, host) in &mut self.0 {
            if let Poll::Ready(event) = host.poll_event(cx) {
                return Poll::Ready((key.clone(), event));
            }
        }
        Poll::Pending
    }
}

impl<P> Host<P> {
    fn new(program: P) -> Host<P> {
        Host {
            program,
            is_outdated: false,
            state: State::Stopped,
            backoff: Backoff::store(),
            idle_since: None,
        }
    }

    pub(crate) fn live(&self) -> Option<&LiveProcess> {
        match &self.state {
            State::Live(live) => Some(live),
            State::Stopped | State::BackingOff(_) | State::Starting(_) => None,
        }
    }

    pub(crate) fn live_mut(&mut self) -> Option<&mut LiveProcess> {
        match &mut self.state {
            State::Live(live) => Some(live),
            State::Stopped | State::BackingOff(_) | State::Starting(_) => None,
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.state, State::Stopped)
    }

    pub(crate) fn is_starting(&self) -> bool {
        matches!(self.state, State::Starting(_))
    }

    pub(crate) fn start(
        &mut self,
        process: impl Future<Output = Result<LiveProcess, LoadError>> + Send + 'static,
    ) {
        self.state = State::Starting(tokio::spawn(process));
    }

    /// Stops the process, also one that is starting. A backoff is kept.
    pub(crate) fn stop(&mut self) {
        self.idle_since = None;
        match std::mem::replace(&mut self.state, State::Stopped) {
            State::Stopped => {}
            State::BackingOff(sleep) => self.state = State::BackingOff(sleep),
            State::Starting(starting) => starting.abort(),
            State::Live(live) => {
                // Without a runtime the server is exiting, and the dropped handle kills the process.
                if let Ok(runtime) = Handle::try_current() {
                    runtime.spawn(live.stop());
                }
            }
        }
    }

    /// Leaves an idle process, which may go on for others.
    pub(crate) fn leave(&mut self) {
        if let State::Live(live) = &self.state {
            live.leave();
        }
        self.stop();
    }

    /// Delays the next start.
    pub(crate) fn back_off(&mut self) {
        self.stop();
        let sleep = tokio::time::sleep(self.backoff.next_delay());
        self.state = State::BackingOff(Box::pin(sleep));
    }

    /// The next start need not wait: the code has changed.
    pub(crate) fn cancel_backoff(&mut self) {
        if matches!(self.state, State::BackingOff(_)) {
            self.state = State::Stopped;
        }
    }

    /// Records whether the process is idle.
    pub(crate) fn set_idle(&mut self, idle: bool) {
        let idle = idle && self.live().is_some();
        match (idle, self.idle_since) {
            (true, None) => self.idle_since = Some(Instant::now()),
            (false, Some(_)) => self.idle_since = None,
            _ => {}
        }
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<HostEvent> {
        match &mut self.state {
            State::Stopped => Poll::Pending,
            State::BackingOff(sleep) => {
                ready!(sleep.as_mut().poll(cx));
                self.state = State::Stopped;
                Poll::Ready(HostEvent::BackoffElapsed)
            }
            State::Starting(starting) => {
                let started = ready!(Pin::new(starting).poll(cx));
                Poll::Ready(self.started(started))
            }
            State::Live(live) => {
                if let Some(events) = ready!(live.events.poll_recv(cx)) {
                    return Poll::Ready(HostEvent::Events(events));
                }
                self.stop();
                Poll::Ready(HostEvent::Exited)
            }
        }
    }

    fn started(
        &mut self,
        started: Result<Result<LiveProcess, LoadError>, tokio::task::JoinError>,
    ) -> HostEvent {
        match started {
            Ok(Ok(live)) => {
                self.backoff.reset();
                self.state = State::Live(Box::new(live));
                HostEvent::Started
            }
            Ok(Err(error)) => {
                self.state = State::Stopped;
                self.back_off();
                HostEvent::StartFailed(error)
            }
            Err(error) => {
                self.state = State::Stopped;
                self.back_off();
                HostEvent::StartFailed(LoadError::Start(error.to_string()))
            }
        }
    }
}

impl<P> Drop for Host<P> {
    fn drop(&mut self) {
        self.stop();
    }
}
