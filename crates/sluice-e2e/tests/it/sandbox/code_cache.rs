//! Deno's cache of compiled code, which components' processes read and may not write.

use std::{fs, process::Command, time::SystemTime};

use serde_json::json;
use sluice_testkit::{Server, sluice_binary, wait_for};

use super::{second_wall::deno, walls};
use crate::support::{PATIENCE, own_server};

/// What Deno says of this server's cache in a process that may only read it.
fn opened(server: &Server) -> String {
    let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let program = folder.path().join("empty.mjs");
    fs::write(&program, "").expect("a file");
    let cache = server.data_dir().join("runtime/deno-dir");
    let deno = deno();
    let confinement = json!({
        "server": std::process::id(), "protections": walls(), "executable": [deno], "readable": [folder.path(), cache], "writable": [], "writable_mounts": [], "revealed": [],
        "private_tmp": null, "working_folder": folder.path(), "announcements": null, "connect_ports": [], "ipv6": false, "udp": false,
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

/// Starts processes until the server fills the cache. Returns when that was.
async fn fill(server: &Server) -> SystemTime {
    for number in 0..10 {
        let code =
            format!("module.exports = {{ name: 'Number {number}', version: '1', run() {{}} }};");
        let body = json!({ "component_code": code });
        server.api().post("/components", &body).await.ok();
    }
    wait_for(PATIENCE, "the cache to be filled", async || {
        filled_at(server)
    })
    .await
}

fn filled_at(server: &Server) -> Option<SystemTime> {
    let mark = server.data_dir().join("runtime/deno-dir/filled-for");
    mark.metadata().and_then(|mark| mark.modified()).ok()
}

#[tokio::test]
async fn after_ten_starts_it_serves_those_who_may_not_write_it() {
    if walls()["landlock"] == "none" {
        eprintln!("skipped: without Landlock every process has a cache of its own");
        return;
    }
    let mut server = Server::start(own_server()).await;
    assert_eq!(filled_at(&server), None, "a new server answers first");
    let filled = fill(&server).await;
    for _ in 0..2 {
        let said = opened(&server);
        assert!(said.contains("v8_code_cache"), "{said}");
        assert!(!said.contains("Failed creating cache db"), "{said}");
        server.restart().await;
        assert_eq!(
            filled_at(&server),
            Some(filled),
            "a good cache was filled again"
        );
    }
}
