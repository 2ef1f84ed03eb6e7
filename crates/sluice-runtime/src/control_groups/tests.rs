//! With real groups, inside of the group that `SLUICE_TEST_CONTROL_GROUP` names. Without it these tests are skipped: a test
//! must not change the groups of a machine by itself.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use super::*;
use crate::overuse::MAX_THREADS;

const LIMITS: AccountLimits = AccountLimits {
    memory_bytes: 64 * 1024 * 1024,
    processes: 10,
};
const PATIENCE: Duration = Duration::from_secs(20);

/// An empty group of this test, with the controllers of the one around it.
fn empty_group() -> Option<Group> {
    let Some(around) = std::env::var_os("SLUICE_TEST_CONTROL_GROUP") else {
        eprintln!("skipped: SLUICE_TEST_CONTROL_GROUP does not name a control group");
        return None;
    };
    let around = PathBuf::from(around);
    let controllers = Controllers::of(&around);
    Group::at(&around)
        .set("cgroup.subtree_control", &controllers.enabling())
        .unwrap();
    let group = Group::at(&around).inside(&format!("test-{}", std::process::id()));
    group.create().unwrap();
    Some(group)
}

fn groups(group: &Group) -> ControlGroups {
    let options = ControlGroupOptions {
        place: GroupPlace::Folder(group.path().to_owned()),
        limits: LIMITS,
    };
    ControlGroups::prepare(&options).unwrap().unwrap()
}

fn start(program: &str, argument: &str) -> Child {
    let mut command = Command::new(program);
    command.arg(argument).stdout(Stdio::null());
    command.spawn().unwrap()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn is_in(pid: Pid, group: &Group) -> bool {
    group.processes().contains(&pid.as_raw_nonzero().get())
}

fn user() -> UserId {
    UserId::parse("u_abc").unwrap()
}

fn read(group: &Group, name: &str) -> String {
    let text = fs::read_to_string(group.path().join(name)).unwrap();
    text.trim().to_owned()
}

#[test]
fn processes_of_an_account_are_in_its_group_which_goes_with_the_last() {
    let Some(group) = empty_group() else {
        return;
    };
    let groups = groups(&group);
    let mut children = [start("sleep", "60"), start("sleep", "60")];
    let pids = children.each_ref().map(Pid::from_child);
    for pid in pids {
        groups.started(pid);
    }
    let waiting = group.inside(keeper::WAITING);
    until("they wait", || pids.iter().all(|pid| is_in(*pid, &waiting)));
    let members = pids.map(|pid| groups.assign(pid, &user()));
    let account = account_group(&group, &user());
    until("they are assigned", || {
        pids.iter().all(|pid| is_in(*pid, &account))
    });
    let controllers = groups.controllers();
    if controllers.memory {
        assert_eq!(read(&account, "memory.max"), "67108864");
    }
    if controllers.pids {
        assert_eq!(read(&account, "pids.max"), (26 * MAX_THREADS).to_string());
    }
    for (child, member) in children.iter_mut().zip(members) {
        assert!(account.path().exists());
        child.kill().unwrap();
        child.wait().unwrap();
        drop(member);
    }
    until("the group is removed", || !account.path().exists());
}

#[test]
fn a_group_goes_also_if_its_last_process_takes_time_to_end() {
    let Some(group) = empty_group() else {
        return;
    };
    let groups = groups(&group);
    let mut children = [start("sleep", "60"), start("sleep", "60")];
    let [ending, other] = children.each_ref().map(Pid::from_child);
    drop(groups.assign(ending, &user()));
    let other_user = UserId::parse("u_def").unwrap();
    let _other = groups.assign(other, &other_user);
    let other_account = account_group(&group, &other_user);
    until("the next is assigned", || is_in(other, &other_account));
    let account = account_group(&group, &user());
    assert!(is_in(ending, &account));
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    until("the group is removed", || !account.path().exists());
}

#[test]
fn an_account_that_wants_too_much_gives_way_until_it_does_not() {
    let Some(group) = empty_group() else {
        return;
    };
    let groups = groups(&group);
    if !groups.controllers().cpu {
        eprintln!("skipped: the group has no controller cpu");
        return;
    }
    let mut child = start("sleep", "60");
    let _member = groups.assign(Pid::from_child(&child), &user());
    let account = account_group(&group, &user());
    for (priority, idle, nice) in [
        (Priority::Nice(5), "0", "5"),
        (Priority::Idle, "1", "19"),
        (Priority::Nice(0), "0", "0"),
    ] {
        groups.prioritize(&user(), priority);
        until(idle, || {
            account.path().exists()
                && read(&account, "cpu.idle") == idle
                && (idle == "1" || read(&account, "cpu.weight.nice") == nice)
        });
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_kernel_kills_what_takes_the_memory_of_the_account_away() {
    let Some(group) = empty_group() else {
        return;
    };
    let groups = groups(&group);
    if !groups.controllers().memory {
        eprintln!("skipped: the group has no controller memory");
        return;
    }
    let mut quiet = start("sleep", "60");
    // It keeps an endless line in memory.
    let mut greedy = start("tail", "/dev/zero");
    let quiet_member = groups.assign(Pid::from_child(&quiet), &user());
    let greedy_member = groups.assign(Pid::from_child(&greedy), &user());
    let status = greedy.wait().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(libc::SIGKILL)
    );
    assert!(quiet.try_wait().unwrap().is_none());
    let overuse = greedy_member.overuse().unwrap();
    assert_eq!(
        overuse.to_string(),
        "the processes of its account used more than 64 MB of memory together"
    );
    quiet.kill().unwrap();
    quiet.wait().unwrap();
    drop(quiet_member);
}

#[test]
fn a_group_with_other_processes_is_refused() {
    let Some(group) = empty_group() else {
        return;
    };
    let mut other = start("sleep", "60");
    for (folder, expected) in [
        (group.clone(), "other processes are in the control group"),
        (
            group.inside(takeover::SERVER),
            "another server uses the control group",
        ),
    ] {
        folder.create().unwrap();
        folder.enter(Pid::from_child(&other)).unwrap();
        let error = take_over(group.path()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_folder_that_is_no_group_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let options = ControlGroupOptions {
        place: GroupPlace::Folder(folder.path().to_owned()),
        limits: LIMITS,
    };
    let error = ControlGroups::prepare(&options).err().unwrap().to_string();
    let path = folder.path().display();
    assert_eq!(
        error,
        format!("--control-group: {path} is not a control group of version 2")
    );
}
