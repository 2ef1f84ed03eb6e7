//! Accounts that take more than their share, where the server has a control group. `SLUICE_TEST_CONTROL_GROUP` names one that
//! tests may use; without it they are skipped.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use sluice_testkit::{Plan, Server, wait_for};

use crate::{
    sandbox::{attempt, manual},
    support::{PATIENCE, deploy, own_server, server_as_it_comes, unique_name},
};

/// An empty group with these controllers.
fn empty_group(controllers: &[&str]) -> Option<PathBuf> {
    let Some(around) = std::env::var_os("SLUICE_TEST_CONTROL_GROUP") else {
        eprintln!("skipped: SLUICE_TEST_CONTROL_GROUP does not name a control group");
        return None;
    };
    let around = PathBuf::from(around);
    let group = around.join(unique_name());
    fs::create_dir(&group).expect("a group");
    for name in controllers {
        let control = around.join("cgroup.subtree_control");
        if fs::write(control, format!("+{name}")).is_err() {
            eprintln!("skipped: the control group has no controller {name}");
            return None;
        }
    }
    Some(group)
}

fn read(group: &Path, file: &str) -> String {
    let text = fs::read_to_string(group.join(file)).unwrap_or_default();
    text.trim().to_owned()
}

async fn user_group(group: &Path, api: &sluice_testkit::Api) -> PathBuf {
    let user = api.get("/users/me").await.ok();
    let id = user["id"].as_str().expect("an id");
    group.join(format!("account-{id}"))
}

#[tokio::test]
async fn the_kernel_stops_an_account_whose_processes_take_too_much_memory_together() {
    let Some(group) = empty_group(&["memory"]) else {
        return;
    };
    let options = own_server()
        .args([
            "--isolation",
            "process",
            "--max-memory-per-account",
            "64MiB",
        ])
        .args(["--max-memory", "256MiB", "--invocation-timeout", "10m"])
        .arg("--control-group")
        .arg(&group);
    let server = Server::start(options).await;
    let greedy = server.user(&unique_name(), Plan::Free).await;
    let other = server.user(&unique_name(), Plan::Free).await;
    // Each is below its own limit.
    let fills = "const full = Buffer.alloc(180e6, 1);
        await new Promise((end) => setTimeout(end, 600000, full));";
    let quiet = deploy(&other, &manual("this.$emit('fine');")).await;
    let first = deploy(&greedy, &manual(fills)).await;
    let second = deploy(&greedy, &manual(fills)).await;
    first.run(json!({})).await;
    second.run(json!({})).await;
    let message = "the processes of its account used more than 320 MB of memory together";
    wait_for(PATIENCE, "the author to be told", async || {
        let mut told = String::new();
        for source in [&first, &second] {
            told += &source.api.get(&source.path("/logs")).await.ok().to_string();
        }
        told.contains(message).then_some(())
    })
    .await;
    quiet.run(json!({})).await;
    assert_eq!(quiet.events(1).await, ["fine"]);
}

#[tokio::test]
async fn an_account_that_takes_the_cpu_has_an_idle_group_which_goes_with_its_processes() {
    let Some(group) = empty_group(&["cpu"]) else {
        return;
    };
    let options = own_server()
        .args(["--isolation", "process", "--invocation-timeout", "10m"])
        .arg("--control-group")
        .arg(&group);
    let server = Server::start(options).await;
    let greedy = server.user(&unique_name(), Plan::Free).await;
    let account = user_group(&group, &greedy).await;
    let mut sources = Vec::new();
    for _ in 0..8 {
        sources.push(deploy(&greedy, &manual("for (;;);")).await);
    }
    for source in &sources {
        source.run(json!({})).await;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores <= 2 {
        wait_for(PATIENCE, "the account to give way", async || {
            (read(&account, "cpu.idle") == "1").then_some(())
        })
        .await;
    }
    for source in &sources {
        let path = source.path("?ignore_hook_errors=true");
        greedy.delete(&path).await;
    }
    wait_for(PATIENCE, "the group to be removed", async || {
        (!account.exists()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn control_groups_cannot_be_read_or_changed() {
    let options = server_as_it_comes().env("SLUICE_TEST_DENO_PERMISSIONS", "off");
    let server = Server::start(options).await;
    let group = if Path::new("/sys/fs/cgroup/unified").exists() {
        "/sys/fs/cgroup/unified"
    } else {
        "/sys/fs/cgroup"
    };
    let expressions = [
        "fs.readdirSync(input.group)",
        "fs.readFileSync(`${input.group}/cgroup.procs`)",
        "fs.writeFileSync(`${input.group}/cgroup.procs`, '0')",
        "fs.mkdirSync(`${input.group}/own`)",
    ];
    let outcomes = attempt(&server.api(), &expressions, json!({ "group": group })).await;
    let done: Vec<_> = expressions
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome[0] == "allowed")
        .collect();
    assert!(done.is_empty(), "{done:#?}");
}
