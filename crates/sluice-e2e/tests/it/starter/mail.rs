//! `send-mail` through a real SMTP server.

use std::fs;

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::{user, workflow_with_secret};
use crate::{support::PATIENCE, workflows::sends::node_server::NodeServer};

#[tokio::test]
async fn a_mail_goes_to_its_recipients() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = NodeServer::start("mail_server.mjs", &[folder.path().as_os_str()]);
    let (host, port) = server.address.split_once(':').expect("an address");
    let port: u16 = port.parse().expect("a port");
    let props = json!({
        "host": host, "port": port, "security": "none", "username": "mailer", "password": "{{ process.env.SECRET }}",
        "from": "Ada <ada@example.com>", "to": ["{{ event.to }}"], "subject": "Grüße\r\nBcc: x@example.com",
        "text": "Hello",
    });
    let workflow = workflow_with_secret(&user().await, "p@ss", &[("send-mail", props)]).await;
    let run = workflow
        .run_and_wait(&json!({ "to": "bob@example.com" }))
        .await;
    let returned = &run["steps"][0]["exports"]["$return_value"];
    assert_eq!(returned["accepted"], json!(["bob@example.com"]), "{run}");
    let mail = wait_for(PATIENCE, "a mail", async || {
        let text = fs::read_to_string(folder.path().join("0.json")).ok()?;
        serde_json::from_str::<Value>(&text).ok()
    })
    .await;
    assert_eq!(mail["to"], json!(["bob@example.com"]));
    let text = mail["text"].as_str().expect("text");
    assert!(text.contains("Hello") && !text.contains("\nBcc"), "{text}");
}
