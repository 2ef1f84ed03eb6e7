//! Notifications of failing runs, by real mail and to a webhook, across a kill of the server.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{
    Backend, Plan, Postgres, Server,
    receiver::{Answer, Receiver},
    wait_for,
};

use super::email::MailServer;
use crate::{support::PATIENCE, workflows::fixtures::deploy_running};

#[rstest]
#[tokio::test]
async fn a_failing_workflow_is_reported_by_mail_and_webhook_once(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let receiver = Receiver::start(|_| Answer::status(200));
    let mail_server = MailServer::start();
    let options = mail_server.options("p%40ss").arg("--allow-private-network");
    let options = match backend {
        Backend::Sqlite => options,
        Backend::Postgres => options.postgres(&Postgres::database()),
    };
    let mut server = Server::start(options).await;
    let api = server.user("ada", Plan::Free).await;
    let body = json!({ "webhook_url": receiver.url("/alerts") });
    let settings = api.put("/users/me/notifications", &body).await.ok();
    assert_eq!(settings["mail"], true, "{settings}");
    let workflow = deploy_running(&api, &[("fails", "throw new Error('no stock');")]).await;
    for _ in 0..2 {
        workflow.run_and_wait(&json!({})).await;
    }
    // The streak is stored.
    server.restart().await;
    workflow.run_and_wait(&json!({})).await;

    let request = receiver.wait_for(1).await.remove(0);
    let body = request.json();
    assert_eq!(body["type"], "workflow.failing", "{body}");
    assert_eq!(
        (&body["count"], &body["subject"]["id"]),
        (&json!(3), &json!(workflow.id))
    );
    assert!(
        body["error"]["message"].to_string().contains("no stock"),
        "{body}"
    );
    assert!(request.header("webhook-signature").is_some());
    let mails = mail_server.mails_to("ada@example.com", 1).await;
    let text = mails[0]["text"].as_str().expect("text");
    assert!(text.contains("is failing"), "{text}");
    assert!(
        text.contains(&format!("/workflows/{}", workflow.id)),
        "{text}"
    );

    // A restart before the results are stored would send again.
    wait_for(PATIENCE, "the results", async || {
        let settings = api.get("/users/me/notifications").await.ok();
        let sent = |way: &str| settings[way]["state"] == "sent";
        (sent("last_mail") && sent("last_webhook")).then_some(())
    })
    .await;
    server.restart().await;
    workflow.run_and_wait(&json!({})).await;
    let test = api
        .post("/users/me/notifications/test", &json!({}))
        .await
        .ok();
    assert_eq!(
        (&test["mail"]["sent"], &test["webhook"]["sent"]),
        (&json!(true), &json!(true)),
        "{test}"
    );
    assert_eq!(receiver.count(), 2);
    assert_eq!(mail_server.mails_to("ada@example.com", 2).await.len(), 2);
}
