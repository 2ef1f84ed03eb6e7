//! Folders that are too deep, or too far down, for ordinary code to read or remove.

use std::{fs, path::Path};

use serde_json::json;
use sluice_testkit::{Server, wait_for};

use crate::{
    sandbox::{Witness, manual, tight_user},
    support::{PATIENCE, deploy, own_server},
};

/// Moves a tree into a new folder again and again, so that no path is ever long.
const NEST: &str = "const fs = require('fs'); fs.mkdirSync('/tmp/a'); let [inner, outer] = ['/tmp/a', '/tmp/b'];
    for (let depth = 0; depth < 30000; depth++) { fs.mkdirSync(outer); fs.renameSync(inner, `${outer}/x`); [inner, outer] = [outer, inner]; }";

/// Makes `depth` folders in each other.
fn nest(folder: &Path, depth: usize) {
    let mut names = [folder.join("a"), folder.join("b")];
    fs::create_dir_all(&names[0]).expect("a folder");
    for _ in 1..depth {
        fs::create_dir(&names[1]).expect("a folder");
        fs::rename(&names[0], names[1].join("x")).expect("a move");
        names.swap(0, 1);
    }
}

/// The number of entries in a folder of the runtime.
fn entries(server: &Server, folder: &str) -> usize {
    let folder = server.data_dir().join("runtime").join(folder);
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[tokio::test]
async fn nested_folders_cost_their_maker_its_process_and_the_server_nothing() {
    let api = tight_user().await;
    let witness = Witness::deploy(&api).await;
    let code = format!("if (!event.fail) return this.$emit('fine'); {NEST}");
    let source = deploy(&api, &manual(&code)).await;
    source.run(json!({ "fail": true })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], "DiskLimit", "{error}");
    let said = error["error"]["msg"].as_str().expect("a message");
    assert!(said.contains("nested more than 64 levels"), "{said}");
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["fine"]);
    witness.answers(2).await;
}

#[tokio::test]
async fn nested_folders_that_a_kill_left_behind_do_not_prevent_a_start() {
    let mut server = Server::start(own_server()).await;
    server.kill9();
    nest(&server.data_dir().join("runtime/run/7/tmp"), 30_000);
    server.restart().await;
    wait_for(PATIENCE, "the folders to be removed", async || {
        (entries(&server, "removed") == 0).then_some(())
    })
    .await;
    let source = deploy(&server.api(), &manual("this.$emit('fine')")).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["fine"]);
}

#[tokio::test]
async fn files_below_the_longest_possible_path_count_against_the_limit() {
    let api = tight_user().await;
    let code = manual(
        "const fs = require('fs'); let folder = '/tmp'; while (folder.length < 3800) { folder += '/' + 'x'.repeat(100); fs.mkdirSync(folder); }
         const block = Buffer.alloc(1 << 20, 1); for (let n = 0; ; n++) { fs.writeFileSync(`${folder}/${n}`, block); await new Promise((done) => setTimeout(done, 20)); }",
    );
    let source = deploy(&api, &code).await;
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], "DiskLimit", "{error}");
    let said = error["error"]["msg"].as_str().expect("a message");
    assert!(said.contains("temporary files grew beyond 8 MB"), "{said}");
}
