//! Webhooks reach public addresses only, however a private one is written. Literal ones are rejected when a webhook is created.

use serde_json::{Value, json};
use sluice_testkit::{
    name_of_loopback,
    receiver::{Answer, Receiver},
    webhook::attempts,
};

use super::fixtures::{Emitter, SOON, custom_server};

#[tokio::test]
async fn private_addresses_are_rejected_and_names_when_they_are_resolved() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let url = receiver.url("");
    let server = custom_server(&[SOON], |settings| settings.allow_private_network = false).await;
    let port = url.rsplit(':').next().expect("a port");
    let emitter = Emitter::on(&server).await;
    let literal = [
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "127.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "user:password@127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
    ];
    for host in literal {
        let body = json!({ "url": format!("http://{host}:{port}/") });
        let refusal = emitter.api.post("/webhooks", &body).await.expect(400);
        let words = refusal["error"].as_str().expect("an error");
        assert!(words.contains("--allow-private-network"), "{host}: {words}");
    }
    let names = ["localhost", "LocalHost"].map(str::to_owned);
    let hosts = names.into_iter().chain(name_of_loopback());
    let mut webhooks = Vec::new();
    for host in hosts {
        let webhook = emitter.webhook(&format!("http://{host}:{port}/")).await;
        webhooks.push((host, webhook));
    }
    emitter.emit([json!(1)]).await;
    for (host, webhook) in webhooks {
        let tried = |rows: &[Value]| rows.iter().any(|row| !attempts(row, "at").is_empty());
        let rows = webhook.wait_until("a try", tried).await;
        assert_eq!(
            attempts(&rows[0], "error")[0],
            "the address is private",
            "{host}"
        );
    }
    assert_eq!(receiver.count(), 0);
}
