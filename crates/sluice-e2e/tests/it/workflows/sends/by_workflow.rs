//! All kinds of `$.send`, from the step that sends to where it arrives.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{
    Backend, Plan, Postgres, Server, ServerOptions,
    receiver::{Answer, Receiver},
    wait_for,
};

use super::{email::MailServer, s3_server::S3Server, stream};
use crate::{
    support::{PATIENCE, own_server},
    workflows::fixtures::{Workflow, deploy},
};

/// More than the minute in which what goes to S3 is gathered.
const A_MINUTE_AND_MORE: Duration = Duration::from_secs(80);

/// Workflows of these tests get their receiver's address in the event.
const SENDER: &str = r#"
name: Sender
steps:
  - name: sends
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          const { url } = steps.trigger.event;
          await $.send.http({ method: "POST", url: `${url}/sent`, data: { hello: "world" } });
          await $.send.http({ method: "GET", url: `${url}/missing` });
          await $.send.sse({ channel: "news", payload: { n: 1 } });
          $.send.sse({ channel: "other", payload: "two" });
        },
      })
  - name: goes_on
    code: |
      export default defineComponent({
        async run({ steps }) {
          await fetch(`${steps.trigger.event.url}/during`);
        },
      })
"#;

fn on(backend: Backend, options: ServerOptions) -> ServerOptions {
    match backend {
        Backend::Sqlite => options,
        Backend::Postgres => options.postgres(&Postgres::database()),
    }
}

/// Waits until all sends of a run are over, and gives them.
async fn sends_of(workflow: &Workflow, run: &str, patience: Duration) -> Vec<Value> {
    wait_for(patience, "all sends to be over", async || {
        let run = workflow.run_of(run).await;
        let sends = run["sends"].as_array().cloned().unwrap_or_default();
        let is_over = |send: &Value| send["state"] == "sent" || send["state"] == "failed";
        (!sends.is_empty() && sends.iter().all(is_over)).then_some(sends)
    })
    .await
}

#[rstest]
#[tokio::test]
async fn what_a_step_sends_goes_out_when_the_run_has_ended_and_is_shown_with_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/missing" => Answer::status(404),
        _ => Answer::status(200),
    });
    let options = own_server().arg("--allow-private-network");
    let server = Server::start(on(backend, options)).await;
    let workflow = deploy(&server.api(), SENDER).await;
    let mut live = stream::follow(server.url(), &workflow.id).await;
    let run = workflow.run(&json!({ "url": receiver.url("") })).await;
    let sends = sends_of(&workflow, &run, PATIENCE).await;
    let shown: Vec<_> = sends
        .iter()
        .map(|send| {
            let text = |name: &str| send[name].as_str().unwrap_or_default().to_owned();
            format!("{} {} {}", text("step"), text("kind"), text("state"))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "sends http sent",
            "sends http failed",
            "sends sse sent",
            "sends sse sent"
        ]
    );
    assert_eq!(
        (&sends[0]["result"], &sends[0]["tries"]),
        (&json!("200"), &json!(1))
    );
    assert_eq!(sends[1]["result"], "answered 404 Not Found");

    let requests = receiver.wait_for(3).await;
    assert_eq!(requests[0].path, "/during", "{requests:#?}");
    let sent = requests.iter().find(|request| request.path == "/sent");
    assert_eq!(
        sent.expect("it arrived").json(),
        json!({ "hello": "world" })
    );

    let messages = [live.next().await, live.next().await];
    let seen = messages.map(|message| (message.event, message.data));
    let expected = [("news", "{\"n\":1}"), ("other", "\"two\"")];
    assert_eq!(
        seen,
        expected.map(|(name, data)| (name.to_owned(), data.to_owned()))
    );
    workflow.api.delete(&workflow.path("")).await.expect(204);
    live.ends().await;
}

#[tokio::test]
async fn send_email_reaches_the_owner_and_send_s3_makes_one_object_of_a_minute() {
    let (mail, s3) = (MailServer::start(), S3Server::start());
    let server = Server::start(s3.added_to(mail.options("p%40ss"))).await;
    let api = server.user("owner", Plan::Free).await;
    let document = r#"
name: Sender
steps:
  - name: sends
    code: |
      export default async (event, steps) => {
        $send.email({ subject: `Number ${event.n}`, text: "Hello" });
        $send.s3({ bucket: "some-bucket", prefix: "numbers", payload: { n: event.n } });
      }
"#;
    let workflow = deploy(&api, document).await;
    let mut runs = Vec::new();
    for n in [1, 2] {
        runs.push(workflow.run(&json!({ "n": n })).await);
    }
    for run in &runs {
        for send in sends_of(&workflow, run, A_MINUTE_AND_MORE).await {
            assert_eq!(send["state"], "sent", "{send}");
        }
    }
    assert_eq!(mail.mails_to("owner@example.com", 2).await.len(), 2);
    let objects = s3.objects();
    let mut lines: Vec<_> = objects.values().flatten().cloned().collect();
    lines.sort();
    assert_eq!(lines, ["{\"n\":1}", "{\"n\":2}"]);
    // Two when a minute ended between the runs.
    assert!(objects.len() <= 2, "{objects:#?}");
}
