//! Components with users of their own (`--component-uids`).

use std::{
    os::unix::{fs::chown, process::CommandExt},
    process::Command,
};

use serde_json::json;
use sluice_testkit::{Server, receiver::Receiver, sluice_binary};

use crate::{
    sandbox::{attempt, manual, walls},
    support::{deploy, server_as_it_comes},
};

const USERS: [&str; 2] = ["--component-uids", "70000-70999"];

fn can_change_users() -> bool {
    let can = rustix::process::geteuid().is_root() && walls()["namespaces"] == "direct";
    if !can {
        eprintln!("skipped: another user needs root and mount namespaces");
    }
    can
}

#[tokio::test]
async fn each_process_has_a_user_of_its_own_that_owns_nothing_of_the_server() {
    if !can_change_users() {
        return;
    }
    let options = server_as_it_comes().args(USERS);
    let options = options.env("SLUICE_TEST_DENO_PERMISSIONS", "off");
    let server = Server::start(options).await;
    let identity = manual(
        "const fs = require('fs'); fs.writeFileSync('/tmp/own', 'x');
         this.$emit([process.getuid(), process.getgid(), process.getgroups(), fs.statSync('/tmp/own').uid]);",
    );
    let mut users = Vec::new();
    for _ in 0..2 {
        let source = deploy(&server.api(), &identity).await;
        source.run(json!({})).await;
        let emitted = source.events(1).await.remove(0);
        let user = emitted[0].as_u64().expect("a user");
        assert!((70_000..71_000).contains(&user), "{emitted}");
        assert_eq!(emitted, json!([user, user, [], user]));
        users.push(user);
    }
    assert_ne!(users[0], users[1]);

    let harness = server.data_dir().join("runtime/harness");
    let input = json!({ "harness": harness, "data": server.data_dir() });
    let expressions = [
        "fs.chmodSync(input.harness, 0o777)",
        "fs.utimesSync(`${input.harness}/main.mjs`, 1, 1)",
        "fs.readFileSync(`${input.data}/master.key`)",
        "fs.readdirSync(`${input.data}/runtime/run`)",
        "process.kill(process.ppid, 0)",
    ];
    for outcome in attempt(&server.api(), &expressions, input).await {
        assert_ne!(outcome[0], "allowed", "{outcome}");
    }
}

#[tokio::test]
async fn packages_connections_and_uploads_work_for_other_users() {
    if !can_change_users() {
        return;
    }
    let receiver = Receiver::counting();
    let options = server_as_it_comes().args(USERS);
    let server = Server::start(options.args(["--allow-private-network"])).await;
    let code = format!(
        "const ms = require('ms');
         module.exports = {{ name: 'N', version: '1', props: {{ db: '$.service.db', http: '$.interface.http' }}, async run(event) {{
             this.db.set('n', 1); await fetch('{}'); this.$emit([ms('1s'), event.body.n]); }} }};",
        receiver.url("/")
    );
    let source = deploy(&server.api(), &code).await;
    source.send(&json!({ "n": 2 })).await.expect(200);
    assert_eq!(source.events(1).await, [json!([1000, 2])]);
    assert_eq!(receiver.count(), 1);
}

/// What a server says that does not start.
fn refusal(users: &str, run_as: Option<u32>) -> String {
    let folder = sluice_testkit::scratch_folder();
    let mut command = Command::new(sluice_binary());
    command
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--component-uids",
            users,
        ])
        .arg("--data-dir")
        .arg(folder.path());
    if let Some(user) = run_as {
        chown(folder.path(), Some(user), Some(user)).expect("root may");
        command.uid(user).gid(user);
    }
    let output = command.output().expect("it runs");
    assert!(!output.status.success(), "{users}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_range_that_is_wrong_keeps_the_server_from_starting() {
    for (users, reason) in [("0-10", "0 is root"), ("nobody", "it must be a range")] {
        let said = refusal(users, None);
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn without_privileges_the_server_says_what_other_users_need() {
    if !can_change_users() {
        return;
    }
    let said = refusal(USERS[1], Some(65_534));
    let expected = "--component-uids cannot be used: it needs root, or CAP_SETUID";
    assert!(said.contains(expected), "{said}");
}
