//! Deno's cache of compiled code, which components' processes read and may not write.

use std::{fs, process::Command, time::SystemTime};

use serde_json::json;
use sluice_testkit::{Server, sluice_binary};

use super::{second_wall::deno, walls};
use crate::support::own_server;

/// What Deno says of this server's cache in a process that may only read it.
fn opened(server: &Server) -> String {
    let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let program = folder.path().join("empty.mjs");
    fs::write(&program, "").expect("a file");
    let cache = server.data_dir().join("runtime/deno-dir");
    let deno = deno();
    let confinement = json!({
        "server": std::process::id(), "protections": walls(), "executable": [deno], "readable": [folder.path(), cache], "writable": [],
        "private_tmp": null, "working_folder": folder.path(), "connect_ports": [], "ipv6": false, "udp": false,
        "data_bytes": 1_610_612_736_u64,
    });
    let output = Command::new(sluice_binary())
        .arg("sandbox-exec")
        .arg(confinement.to_string())
        .arg(&deno)
        .args(["run", "--log-level=debug", "--no-lock", "--no-config"])
        .arg(&program)
        .env_clear()
        .env("DENO_DIR", &cache)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

/// When the cache was filled.
fn filled_at(server: &Server) -> SystemTime {
    let mark = server.data_dir().join("runtime/deno-dir/filled-for");
    let changed = mark.metadata().and_then(|mark| mark.modified());
    changed.expect("a mark")
}

#[tokio::test]
async fn it_serves_those_who_may_not_write_it_from_the_first_start_on() {
    if walls()["landlock"] != true {
        eprintln!("skipped: without Landlock every process has a cache of its own");
        return;
    }
    let mut server = Server::start(own_server()).await;
    let filled = filled_at(&server);
    for _ in 0..2 {
        let said = opened(&server);
        assert!(said.contains("v8_code_cache"), "{said}");
        assert!(!said.contains("Failed creating cache db"), "{said}");
        server.restart().await;
        assert_eq!(filled_at(&server), filled, "a good cache was filled again");
    }
}
