//! Control groups of version 2: what the kernel allows all processes of an account together.
//!
//! The server is given one group, by systemd or by the operator, and makes groups inside of it:
//!
//! - `server`: the server itself
//! - `waiting`: processes that work for no account
//! - `account-u_…`: the processes of an account
//!
//! Moving a process into a group takes the kernel about 10 ms, so a thread of its own does it.

mod account_limits;
mod controllers;
mod group;
mod keeper;
mod own_group;
mod setting;
mod takeover;
#[cfg(test)]
mod tests;

use std::{io, sync::mpsc, thread};

use rustix::process::Pid;
use sluice_model::UserId;

pub use self::{
    account_limits::AccountLimits,
    controllers::{Controllers, offered_controllers},
    own_group::memory_limit,
    setting::{ControlGroupOptions, GroupPlace},
};
use self::{
    group::Group,
    keeper::{Job, Keeper, account_group},
    takeover::{delegated_group, take_over},
};
use crate::{overuse::Overuse, scheduling::Priority};

/// The groups of this server.
pub(crate) struct ControlGroups {
    folder: Group,
    controllers: Controllers,
    limits: AccountLimits,
    jobs: mpsc::Sender<Job>,
}

impl ControlGroups {
    /// Takes over the group at the place. `None` if that is the server's own, and it was not delegated to it.
    pub(crate) fn prepare(options: &ControlGroupOptions) -> io::Result<Option<ControlGroups>> {
        let taken = match &options.place {
            GroupPlace::Folder(folder) => take_over(folder),
            GroupPlace::Delegated => delegated_group().and_then(|group| take_over(&group)),
        };
        match taken {
            Ok((folder, controllers)) => {
                ControlGroups::start(folder, controllers, options.limits).map(Some)
            }
            Err(reason) if options.place == GroupPlace::Delegated => {
                tracing::debug!(%reason, "accounts have no control groups");
                Ok(None)
            }
            Err(reason) => Err(io::Error::other(format!("--control-group: {reason}"))),
        }
    }

    fn start(
        folder: Group,
        controllers: Controllers,
        limits: AccountLimits,
    ) -> io::Result<ControlGroups> {
        tracing::info!(folder = %folder.path().display(), %controllers, "accounts have control groups");
        let (jobs, queue) = mpsc::channel();
        let keeper = Keeper::new(folder.clone(), controllers, limits)?;
        thread::Builder::new()
            .name("control-groups".to_owned())
            .spawn(move || keeper.run(&queue))?;
        Ok(ControlGroups {
            folder,
            controllers,
            limits,
            jobs,
        })
    }

    pub(crate) fn controllers(&self) -> Controllers {
        self.controllers
    }

    /// A process that works for no account yet.
    pub(crate) fn started(&self, pid: Pid) {
        self.send(Job::Started(pid));
    }

    /// From now on the process works for this user.
    pub(crate) fn assign(&self, pid: Pid, user: &UserId) -> GroupMember {
        let group = account_group(&self.folder, user);
        self.send(Job::Assigned(pid, user.clone()));
        GroupMember {
            user: user.clone(),
            kills_before: group.memory_kills(),
            group,
            memory_limit: self.limits.memory_bytes,
            jobs: self.jobs.clone(),
        }
    }

    pub(crate) fn prioritize(&self, user: &UserId, priority: Priority) {
        self.send(Job::Prioritized(user.clone(), priority));
    }

    fn send(&self, job: Job) {
        // The thread ends with the last sender.
        let _ = self.jobs.send(job);
    }
}

/// A process in the group of its account, until it has ended.
pub(crate) struct GroupMember {
    user: UserId,
    group: Group,
    memory_limit: u64,
    /// Processes of the account that the kernel had killed before.
    kills_before: u64,
    jobs: mpsc::Sender<Job>,
}

impl GroupMember {
    /// The reason why the kernel killed the process, if it was for the memory of its account.
    pub(crate) fn overuse(&self) -> Option<Overuse> {
        let limit = self.memory_limit;
        (self.group.memory_kills() > self.kills_before).then_some(Overuse::AccountMemory { limit })
    }
}

impl Drop for GroupMember {
    fn drop(&mut self) {
        let _ = self.jobs.send(Job::Ended(self.user.clone()));
    }
}
