//! Clients that open connections and send nothing.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use sluice_testkit::{Server, ServerOptions, sluice_binary};
use tokio::net::TcpStream;

use crate::support::own_server;

/// Opens `count` connections that stay idle, and expects quick answers to twenty requests beside them.
async fn answers_beside(server: &Server, count: usize) {
    let mut idle = Vec::new();
    for _ in 0..count {
        let connected = TcpStream::connect(server.addr()).await;
        idle.push(connected.expect("a connection"));
    }
    for _ in 0..20 {
        let begun = Instant::now();
        server.api().get("/users/me").await.expect(200);
        let took = begun.elapsed();
        assert!(took < Duration::from_millis(500), "{took:?}");
    }
}

#[tokio::test]
async fn idle_connections_do_not_keep_others_out() {
    let server = Server::start(own_server().args(["--max-connections", "100"])).await;
    answers_beside(&server, 300).await;
}

#[tokio::test]
async fn a_server_with_few_file_descriptors_survives_many_idle_connections() {
    let folder = tempfile::tempdir().expect("a folder");
    let limited = folder.path().join("sluice");
    let binary = sluice_binary();
    let script = format!(
        "#!/bin/sh\nulimit -n 1024\nexec '{}' \"$@\"\n",
        binary.display()
    );
    fs::write(&limited, script).expect("a script");
    fs::set_permissions(&limited, fs::Permissions::from_mode(0o755)).expect("a program");
    let options = ServerOptions::new(&limited).without_warm_processes();
    let server = Server::start(options).await;
    answers_beside(&server, 1300).await;
}
