//! The testkit against a stand-in for the server, so that a fault of the testkit shows here and not in every test.

use std::panic::AssertUnwindSafe;

use serde_json::json;
use sluice_testkit::{Method, Plan, Server, ServerInfo, ServerOptions, raw_http, shared};

const STAND_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stand_in.mjs");

fn shared_server() -> &'static ServerInfo {
    shared("stand-in", || ServerOptions::new(STAND_IN))
}

#[tokio::test]
async fn a_server_restarts_on_its_data_and_port_and_drains_on_sigterm() {
    let mut server = Server::start(ServerOptions::new(STAND_IN)).await;
    let (url, pid, data) = (
        server.url().to_owned(),
        server.pid(),
        server.data_dir().to_owned(),
    );

    server.kill9();
    let gone = server.api().root(Method::GET, "/healthz").try_send().await;
    assert!(gone.is_err(), "a killed server does not answer");

    server.restart().await;
    assert_eq!(server.url(), url);
    assert_eq!(server.data_dir(), data);
    assert_ne!(server.pid(), pid);
    assert!(server.terminate().await.success());
    drop(server);
    assert!(!data.exists(), "its own data folder goes with the server");
}

#[tokio::test]
async fn the_environment_is_what_the_test_says() {
    let options = ServerOptions::new(STAND_IN).env("SLUICE_GREETING", "hello");
    let server = Server::start(options).await;
    let environment = server.api().get("/environment").await.ok();
    assert_eq!(environment["SLUICE_GREETING"], "hello");
    assert_eq!(environment["SLUICE_API_KEY"], server.api_key());
    assert_eq!(environment.get("CARGO_MANIFEST_DIR"), None);
}

#[tokio::test]
async fn a_user_has_a_client_of_its_own() {
    let server = shared_server();
    let user = server.user("ada", Plan::Free).await;
    let sent = user.get("/authorization").await.ok();
    assert_eq!(sent, json!(format!("Bearer {}", "f".repeat(32))));
    assert_eq!(user.get("/nowhere").await.expect(404)["error"], "not found");
}

#[test]
fn many_threads_share_one_server() {
    let threads: Vec<_> = (0..4)
        .map(|_| std::thread::spawn(|| shared_server().pid()))
        .collect();
    let pids: Vec<u32> = threads
        .into_iter()
        .map(|thread| thread.join().expect("the server starts"))
        .collect();
    assert!(pids.iter().all(|pid| *pid == pids[0]));
}

#[tokio::test]
async fn raw_bytes_get_the_raw_answer() {
    let server = shared_server();
    let answer = raw_http(server.addr(), b"nonsense\r\n\r\n").await;
    assert!(
        answer.starts_with(b"HTTP/1.1 400"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
}

#[test]
fn a_server_that_does_not_start_shows_its_log() {
    let options = ServerOptions::new(STAND_IN).arg("--broken");
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| Server::start_blocking(options)))
        .expect_err("it cannot start");
    let message = panic
        .downcast_ref::<String>()
        .expect("a panic with a message");
    assert!(message.contains("cannot open the database"), "{message}");
}

#[tokio::test]
async fn a_given_data_folder_is_left_in_place() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let server = Server::start(ServerOptions::new(STAND_IN).data_dir(folder.path())).await;
    assert_eq!(server.data_dir(), folder.path());
    drop(server);
    assert!(folder.path().exists());
}
