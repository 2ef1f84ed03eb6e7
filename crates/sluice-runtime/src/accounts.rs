//! What keeps the processes of one account from slowing those of others.

use std::io;

use rustix::process::Pid;
use sluice_model::UserId;

use crate::{
    control_groups::{ControlGroupOptions, ControlGroups},
    cpu_times::CpuTimes,
    scheduling::{Priority, set_priority},
};

pub(crate) struct Accounts {
    pub(crate) cpu: CpuTimes,
    /// `None` where the server has no control group.
    pub(crate) groups: Option<ControlGroups>,
}

impl Accounts {
    pub(crate) fn prepare(options: Option<&ControlGroupOptions>) -> io::Result<Accounts> {
        let groups = match options {
            Some(options) => ControlGroups::prepare(options)?,
            None => None,
        };
        let cpu = if by_group(groups.as_ref()).is_some() {
            CpuTimes::of_groups()
        } else {
            CpuTimes::of_processes()
        };
        Ok(Accounts { cpu, groups })
    }

    /// Makes the account's processes give way: its group, or else this process.
    pub(crate) fn prioritize(
        &self,
        user: &UserId,
        pid: Pid,
        before: Option<Priority>,
        now: Priority,
    ) {
        match by_group(self.groups.as_ref()) {
            Some(groups) => groups.prioritize(user, now),
            None => set_priority(pid, before, now),
        }
    }
}

/// The groups, if they share out the CPU.
fn by_group(groups: Option<&ControlGroups>) -> Option<&ControlGroups> {
    groups.filter(|groups| groups.controllers().cpu)
}
