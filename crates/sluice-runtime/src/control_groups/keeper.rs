//! The thread that makes groups, moves processes and removes groups.

use std::{
    collections::{HashMap, hash_map::Entry},
    io, mem,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};

use rustix::process::Pid;
use sluice_model::UserId;

use super::{account_limits::AccountLimits, controllers::Controllers, group::Group};
use crate::scheduling::Priority;

pub(super) const WAITING: &str = "waiting";
pub(super) const ACCOUNT_PREFIX: &str = "account-";

/// How long a process that was killed may need to leave its group.
const REMOVE_RETRY: Duration = Duration::from_secs(1);

pub(super) enum Job {
    Started(Pid),
    Assigned(Pid, UserId),
    Ended(UserId),
    Prioritized(UserId, Priority),
}

pub(super) struct Keeper {
    folder: Group,
    waiting: Group,
    controllers: Controllers,
    limits: AccountLimits,
    accounts: HashMap<UserId, Account>,
    /// Groups to be removed, once their last process has left them.
    unused: Vec<Group>,
    has_failed: bool,
}

struct Account {
    group: Group,
    processes: usize,
    priority: Priority,
}

pub(super) fn account_group(folder: &Group, user: &UserId) -> Group {
    folder.inside(&format!("{ACCOUNT_PREFIX}{}", user.as_str()))
}

impl Keeper {
    pub(super) fn new(
        folder: Group,
        controllers: Controllers,
        limits: AccountLimits,
    ) -> io::Result<Keeper> {
        let waiting = folder.inside(WAITING);
        waiting.create()?;
        Ok(Keeper {
            folder,
            waiting,
            controllers,
            limits,
            accounts: HashMap::new(),
            unused: Vec::new(),
            has_failed: false,
        })
    }

    /// Works until the last sender is gone.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) {
        loop {
            let done = match self.next(jobs) {
                Ok(job) => self.work(job),
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            self.remove_unused();
            if let Err(error) = done
                && !mem::replace(&mut self.has_failed, true)
            {
                tracing::warn!(%error, "a control group does not limit its account; further ones are not reported");
            }
        }
    }

    fn next(&self, jobs: &Receiver<Job>) -> Result<Job, RecvTimeoutError> {
        if self.unused.is_empty() {
            return Ok(jobs.recv()?);
        }
        jobs.recv_timeout(REMOVE_RETRY)
    }

    fn remove_unused(&mut self) {
        self.unused.retain(|group| group.remove().is_err());
    }

    fn work(&mut self, job: Job) -> io::Result<()> {
        match job {
            Job::Started(pid) => self.waiting.enter(pid),
            Job::Assigned(pid, user) => self.assign(pid, user),
            Job::Ended(user) => {
                self.end(&user);
                Ok(())
            }
            Job::Prioritized(user, priority) => self.prioritize(&user, priority),
        }
    }

    fn assign(&mut self, pid: Pid, user: UserId) -> io::Result<()> {
        let group = account_group(&self.folder, &user);
        let mut limited = Ok(());
        match self.accounts.entry(user) {
            Entry::Occupied(mut known) => known.get_mut().processes += 1,
            Entry::Vacant(place) => {
                place.insert(Account {
                    group: group.clone(),
                    processes: 1,
                    priority: Priority::Nice(0),
                });
                self.unused.retain(|other| *other != group);
                limited = self.make(&group);
            }
        }
        group.enter(pid)?;
        limited
    }

    fn make(&self, group: &Group) -> io::Result<()> {
        let is_new = group.create()?;
        if self.controllers.memory {
            group.set("memory.max", &self.limits.memory_bytes.to_string())?;
            // Otherwise an account beyond its memory would fill the swap space of all. The file is missing without swap.
            let _ = group.set("memory.swap.max", "0");
        }
        if self.controllers.pids {
            group.set("pids.max", &self.limits.threads().to_string())?;
        }
        if self.controllers.cpu && !is_new {
            group.prioritize(Priority::Idle, Priority::Nice(0))?;
        }
        Ok(())
    }

    fn end(&mut self, user: &UserId) {
        let Some(account) = self.accounts.get_mut(user) else {
            return;
        };
        account.processes -= 1;
        if account.processes > 0 {
            return;
        }
        if let Some(account) = self.accounts.remove(user) {
            self.unused.push(account.group);
        }
    }

    fn prioritize(&mut self, user: &UserId, priority: Priority) -> io::Result<()> {
        let Some(account) = self.accounts.get_mut(user) else {
            return Ok(());
        };
        let before = mem::replace(&mut account.priority, priority);
        if before == priority || !self.controllers.cpu {
            return Ok(());
        }
        account.group.prioritize(before, priority)
    }
}
