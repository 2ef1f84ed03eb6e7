//! The README's walk to a first event, as it is printed.

use std::{fs, process::Command};

use sluice_testkit::{Backend, Plan};

use crate::support::{shared_server, unique_name};

/// The shell blocks of the walk, without the first, which starts the server.
fn walk() -> Vec<String> {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let text = fs::read_to_string(readme).expect("the README");
    let (_, walk) = text.split_once("## A first source").expect("the walk");
    let (walk, _) = walk.split_once("\n## ").expect("its end");
    let blocks = walk.split("```sh\n").skip(2);
    blocks
        .map(|block| block.split("```").next().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn the_first_source_walk_of_the_readme_works_as_printed() {
    let server = shared_server(Backend::Sqlite);
    let user = server.user(&unique_name(), Plan::Free).await;
    let blocks = walk();
    let (read, before) = blocks.split_last().expect("a walk of several blocks");
    // What is printed last is asked for until it is there, as a person would.
    let script = format!(
        "set -e\n{}\nfor _ in $(seq 200); do out=$({read}); case \"$out\" in *'\"count\":1'*'request 1'*) exit 0;; esac; sleep 0.1; done\necho \"$out\"; exit 1",
        before.join("\n")
    )
    .replace("http://127.0.0.1:3000", server.url());
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new("bash")
        .arg("-c")
        .arg(&script)
        .current_dir(&folder)
        .env("SLUICE_API_KEY", user.key())
        .output()
        .expect("bash");
    assert!(output.status.success(), "{script}\n{output:?}");
}
