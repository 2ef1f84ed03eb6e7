//! The built-in steps that the console offers: their code runs, in tests and in deployed workflows.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use sluice_testkit::{
    Method, Plan, Server,
    receiver::{Answer, Receiver},
    wait_for,
};

use crate::{
    sandbox::deno_binary,
    support::{PATIENCE, unique_name},
    workflows::{
        fixtures::{deploy, returned},
        sends::email::MailServer,
    },
};

/// A document with all built-in steps, from the code of the console. `props` are by the id of a step.
fn document(props: &Value) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/workflows/builtins.mjs");
    let mut deno = Command::new(deno_binary())
        .args(["run", "--quiet", "--no-config", "--no-remote"])
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Deno starts");
    let mut stdin = deno.stdin.take().expect("a pipe");
    let text = props.to_string();
    stdin.write_all(text.as_bytes()).expect("it reads");
    drop(stdin);
    let output = deno.wait_with_output().expect("it ends");
    assert!(output.status.success(), "the script fails");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Values with which all steps run.
fn props(receiver: &Receiver) -> Value {
    json!({
        "filter": { "condition": "{{ event.total > 100 }}" },
        "delay": { "seconds": 1 },
        "approval": { "subject": "Approve {{ event.id }}", "text": "Large order", "hours": 2 },
        "http": { "method": "POST", "url": receiver.url("/orders"), "body": { "id": "{{ event.id }}" } },
        "mail": { "subject": "Order {{ event.id }}", "text": "Done" },
        "emit": { "event": "{{ event }}", "channel": "large" },
    })
}

fn receiver() -> Receiver {
    let answer = Answer::status(200).header("content-type", "application/json");
    let answer = answer.body(r#"{"accepted":true}"#);
    Receiver::start(move |_| answer.clone())
}

async fn server(mail: &MailServer) -> Server {
    let options = mail.options("p%40ss").arg("--allow-private-network");
    Server::start(options).await
}

fn step<'a>(run: &'a Value, name: &str) -> &'a Value {
    let mut steps = run["steps"].as_array().expect("steps").iter();
    let step = steps.find(|step| step["name"] == name);
    step.unwrap_or_else(|| panic!("{name}: {run:#}"))
}

fn send(run: &Value, name: &str) -> Value {
    let send = &step(run, name)["sends"][0];
    assert_eq!(send["state"], "shown", "{send}");
    send["payload"].clone()
}

#[tokio::test]
async fn each_built_in_step_runs_in_a_test() {
    let (mail, receiver) = (MailServer::start(), receiver());
    let server = server(&mail).await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let document = document(&props(&receiver));
    let test = async |event: Value| {
        let body = json!({ "document": document, "event": event });
        api.post("/workflows/test", &body).await.ok()
    };
    let event = json!({ "id": "A-1", "total": 120 });
    let run = test(event.clone()).await;
    assert_eq!(run["state"], "succeeded", "{run:#}");
    assert_eq!(run["exit_reason"], Value::Null);
    assert_eq!(returned(&run, "code"), &event);
    let pause = |name: &str| {
        (
            &step(&run, name)["waited_for"],
            &step(&run, name)["pause_ms"],
        )
    };
    assert_eq!(pause("delay"), (&json!("delay"), &json!(1_000)));
    assert_eq!(pause("approval"), (&json!("suspend"), &json!(7_200_000)));
    let approval = send(&run, "approval");
    assert_eq!(approval["subject"], "Approve A-1");
    assert!(
        approval["text"].to_string().contains("Approve: http"),
        "{approval}"
    );
    let answer = json!({ "status": 200, "body": { "accepted": true } });
    assert_eq!(returned(&run, "http"), &answer);
    assert_eq!(receiver.requests()[0].json(), json!({ "id": "A-1" }));
    assert_eq!(send(&run, "mail")["subject"], "Order A-1");
    assert_eq!(send(&run, "emit")["channel"], "large");

    let small = test(json!({ "id": "A-2", "total": 80 })).await;
    assert_eq!(small["exit_reason"], "The condition does not hold");
    assert_eq!(step(&small, "filter")["name"], small["steps"][1]["name"]);
    assert_eq!(small["steps"].as_array().map(Vec::len), Some(2));
    assert_eq!(receiver.count(), 1);
}

#[tokio::test]
async fn each_built_in_step_runs_in_a_deployed_workflow() {
    let (mail, receiver) = (MailServer::start(), receiver());
    let server = server(&mail).await;
    let name = unique_name();
    let api = server.user(&name, Plan::Free).await;
    let workflow = deploy(&api, &document(&props(&receiver))).await;
    let event = json!({ "id": "A-1", "total": 120 });
    let id = workflow.run(&event).await;
    let run = wait_for(PATIENCE, "the approval", async || {
        let run = workflow.run_of(&id).await;
        (run["waits_for"]["kind"] == "suspend").then_some(run)
    })
    .await;
    assert_eq!(step(&run, "delay")["waited_for"], "delay");
    assert_eq!(receiver.count(), 0);
    let address = format!("{name}@example.com");
    let mails = mail.mails_to(&address, 1).await;
    assert!(mails[0]["text"].to_string().contains("Approve A-1"));

    let resume = run["waits_for"]["resume_url"].as_str().expect("an address");
    let request = api.absolute(Method::POST, resume);
    request.send().await.expect(200);
    let run = workflow.ended(&id).await;
    assert_eq!(run["state"], "succeeded", "{run:#}");
    assert_eq!(returned(&run, "http")["body"]["accepted"], true);
    assert_eq!(receiver.requests()[0].json(), json!({ "id": "A-1" }));
    assert_eq!(workflow.emitted(1).await, [json!({ "raw_event": event })]);
    let mails = mail.mails_to(&address, 2).await;
    let mut texts = mails.iter().map(|mail| mail["text"].to_string());
    assert!(texts.any(|text| text.contains("Order A-1")));
}
