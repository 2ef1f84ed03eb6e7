//! Components that try to change files of the server, past Deno's permissions.

use std::{fs, os::unix::fs::MetadataExt, path::Path, time::SystemTime};

use serde_json::json;
use sluice_testkit::Server;

use crate::{
    sandbox::{attempt, has_private_tmp},
    support::server_as_it_comes,
};

/// The mode, the times, the owner and the extended attributes of a file.
fn facts(path: &Path) -> (u32, SystemTime, i64, u32) {
    let found = fs::metadata(path).expect("a file");
    let modified = found.modified().expect("a time");
    (found.mode(), modified, found.ctime_nsec(), found.uid())
}

#[tokio::test]
async fn modes_times_owners_and_attributes_of_the_server_s_files_cannot_be_changed() {
    if !has_private_tmp() {
        return;
    }
    let options = server_as_it_comes().env("SLUICE_TEST_DENO_PERMISSIONS", "off");
    let server = Server::start(options).await;
    let harness = server.data_dir().join("runtime/harness");
    let file = harness.join("main.mjs");
    let before = [facts(&harness), facts(&file), facts(server.data_dir())];
    let expressions = [
        "fs.chmodSync(input.file, 0o777)",
        "fs.chmodSync(input.harness, 0o777)",
        "fs.chmodSync(input.data, 0o777)",
        "fs.utimesSync(input.file, 1, 1)",
        "fs.lutimesSync(input.data, 1, 1)",
        "fs.chownSync(input.file, process.getuid(), process.getgid())",
        "fs.truncateSync(input.file, 0)",
        "fs.linkSync(input.file, `${tmp}/link`)",
        "fs.renameSync(input.file, `${tmp}/main.mjs`)",
        "fs.unlinkSync(input.file)",
        // Through a link of its own, and by the path of the folder outside.
        "(fs.symlinkSync(input.harness, `${tmp}/way`), fs.chmodSync(`${tmp}/way/main.mjs`, 0o777))",
        "(() => { const { setxattr } = Deno.dlopen('libc.so.6', { setxattr: { parameters: ['buffer', 'buffer', 'buffer', 'usize', 'i32'], result: 'i32' } }).symbols;
            const text = (value) => new TextEncoder().encode(`${value}\\0`);
            if (setxattr(text(input.file), text('user.mark'), text('x'), 1n, 0) !== 0) throw new Error('not permitted'); })()",
    ];
    let input = json!({ "harness": harness, "file": file, "data": server.data_dir() });
    let outcomes = attempt(&server.api(), &expressions, input).await;
    let done: Vec<_> = expressions
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome[0] == "allowed")
        .collect();
    assert!(done.is_empty(), "{done:#?}");
    let after = [facts(&harness), facts(&file), facts(server.data_dir())];
    assert_eq!(before[..2], after[..2]);
    assert_eq!(before[2].0, after[2].0);
    let own = [
        "(fs.writeFileSync(`${tmp}/own`, 'x'), fs.chmodSync(`${tmp}/own`, 0o600), fs.utimesSync(`${tmp}/own`, 1, 1), fs.statSync(`${tmp}/own`).mode & 0o777)",
    ];
    assert_eq!(
        attempt(&server.api(), &own, json!({})).await,
        [json!(["allowed", "384"])]
    );
}
