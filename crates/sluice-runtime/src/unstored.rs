//! The memory of reports that are not stored yet, by account.
//!
//! Beyond the limit the server stops reading from the processes of the account, which then wait in their writes. Reports of
//! ended invocations leave the memory when they are committed. Those of running invocations leave it when these end, so
//! processes with such reports are read on in turns: one at a time may exceed the limit, by what one process may report.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::fair_queue::PermitUser;

/// All accounts with processes.
pub(crate) struct Unstored {
    limit: usize,
    processes: AtomicU64,
    accounts: Mutex<HashMap<PermitUser, Weak<Account>>>,
}

struct Account {
    /// For running and for ended invocations each.
    limit: usize,
    reports: Mutex<Reports>,
    less: Notify,
}

/// In bytes.
#[derive(Default)]
struct Reports {
    running: usize,
    ended: usize,
    /// Processes that want to be read on beyond the limit. The first may.
    turns: VecDeque<u64>,
}

impl Unstored {
    pub(crate) fn new(limit: usize) -> Unstored {
        Unstored {
            limit,
            processes: AtomicU64::new(0),
            accounts: Mutex::default(),
        }
    }

    /// The share of a new process of this user.
    pub(crate) fn share(&self, user: &PermitUser) -> UnstoredShare {
        let mut accounts = self.accounts.lock();
        let known = accounts.get(user).and_then(Weak::upgrade);
        let account = known.unwrap_or_else(|| {
            accounts.retain(|_, account| account.strong_count() > 0);
            let account = Arc::new(Account {
                limit: self.limit,
                reports: Mutex::default(),
                less: Notify::new(),
            });
            accounts.insert(user.clone(), Arc::downgrade(&account));
            account
        });
        UnstoredShare {
            account,
            process: self.processes.fetch_add(1, Ordering::Relaxed),
            bytes: 0,
        }
    }
}

impl Account {
    /// Changes the reports, of which there may be fewer then.
    fn lessen(&self, change: impl FnOnce(&mut Reports)) {
        let was_full = {
            let mut reports = self.reports.lock();
            let was_full = reports.running > self.limit || reports.ended > self.limit;
            change(&mut reports);
            was_full
        };
        // Otherwise nobody waits.
        if was_full {
            self.less.notify_waiters();
        }
    }

    fn may_read(&self, process: u64, has_reports: bool) -> bool {
        let mut reports = self.reports.lock();
        if reports.ended > self.limit {
            return false;
        }
        if reports.running <= self.limit {
            reports.turns.clear();
            return true;
        }
        if has_reports && !reports.turns.contains(&process) {
            reports.turns.push_back(process);
        }
        reports.turns.front() == Some(&process)
    }
}

/// The reports of the running invocations of one process. They are subtracted on drop.
pub(crate) struct UnstoredShare {
    account: Arc<Account>,
    process: u64,
    bytes: usize,
}

impl UnstoredShare {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.account.reports.lock().running += bytes;
    }

    /// An invocation reports the same again, in another size.
    pub(crate) fn replace(&mut self, before: usize, after: usize) {
        self.bytes = self.bytes - before + after;
        self.account
            .lessen(|reports| reports.running = reports.running - before + after);
    }

    /// An invocation has ended.
    pub(crate) fn subtract(&mut self, bytes: usize) {
        self.bytes -= bytes;
        let process = self.process;
        self.account.lessen(|reports| {
            reports.running -= bytes;
            // It is the turn of another process.
            reports.turns.retain(|waiting| *waiting != process);
        });
    }

    /// The report of an ended invocation.
    pub(crate) fn hold(&self, bytes: usize) -> HeldReport {
        self.account.reports.lock().ended += bytes;
        HeldReport(Some((Arc::clone(&self.account), bytes)))
    }

    pub(crate) fn room(&self) -> Room {
        Room {
            account: Arc::clone(&self.account),
            process: self.process,
        }
    }
}

impl Drop for UnstoredShare {
    fn drop(&mut self) {
        self.subtract(self.bytes);
    }
}

/// The room of a process for further reports.
pub(crate) struct Room {
    account: Arc<Account>,
    process: u64,
}

impl Room {
    /// Waits until the process may be read on. `has_reports` says whether it has reports of running invocations.
    pub(crate) async fn wait(&self, has_reports: impl Fn() -> bool) {
        loop {
            let less = self.account.less.notified();
            if self.account.may_read(self.process, has_reports()) {
                return;
            }
            less.await;
        }
    }
}

/// The report of an ended invocation counts as long as this is held: until it is committed.
#[derive(Default)]
pub struct HeldReport(Option<(Arc<Account>, usize)>);

impl Drop for HeldReport {
    fn drop(&mut self) {
        if let Some((account, bytes)) = self.0.take() {
            account.lessen(|reports| reports.ended -= bytes);
        }
    }
}

impl fmt::Debug for HeldReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.as_ref().map_or(0, |(_, bytes)| *bytes);
        f.debug_tuple("HeldReport").field(&bytes).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::{pin::pin, task::Poll};

    use sluice_model::UserId;

    use super::*;

    fn user(name: &str) -> PermitUser {
        UserId::parse(name)
    }

    async fn is_ready(future: impl Future<Output = ()>) -> bool {
        let mut future = pin!(future);
        std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
    }

    async fn may_read(share: &UnstoredShare) -> bool {
        is_ready(share.room().wait(|| share.bytes() > 0)).await
    }

    #[tokio::test]
    async fn processes_beyond_the_limit_of_their_account_are_read_in_turns() {
        let unstored = Unstored::new(100);
        let account = user("u_aaaaaa");
        let [mut first, mut second, idle] = [0, 1, 2].map(|_| unstored.share(&account));
        let other = unstored.share(&user("u_bbbbbb"));
        first.add(60);
        second.add(40);
        assert!(may_read(&idle).await);
        second.add(60);
        assert!(!may_read(&idle).await);
        assert!(may_read(&second).await);
        assert!(!may_read(&first).await);
        assert!(may_read(&other).await);
        second.replace(60, 50);
        assert!(may_read(&second).await && !may_read(&first).await);
        // One of its invocations has ended.
        second.subtract(5);
        assert!(may_read(&first).await);
        assert!(!may_read(&second).await);
        drop(first);
        assert!(may_read(&second).await && may_read(&idle).await);
    }

    #[tokio::test]
    async fn reading_waits_for_the_commits_of_the_account() {
        let unstored = Unstored::new(100);
        let share = unstored.share(&user("u_aaaaaa"));
        let held = [share.hold(60), share.hold(60)];
        let room = unstored.share(&user("u_aaaaaa")).room();
        let mut waiting = pin!(room.wait(|| true));
        assert!(!is_ready(waiting.as_mut()).await);
        assert!(may_read(&unstored.share(&None)).await);
        drop(held);
        assert!(is_ready(waiting).await);
    }
}
