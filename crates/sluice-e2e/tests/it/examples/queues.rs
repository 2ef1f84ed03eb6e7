//! Examples whose work is done by workflows that collect and queue.

use sluice_testkit::receiver::{Answer, Delivery};

use super::stage::Stage;
use crate::{support::server_as_it_comes, workflows::sends::email::MailServer};

#[tokio::test]
async fn daily_digest_mails_what_was_collected() {
    let mail = MailServer::start();
    let options = mail.options("p%40ss");
    let mut stage = Stage::start("daily-digest", options, super::fine).await;
    let me = stage.api.get("/users/me").await.ok();
    stage.run_all().await;
    let address = me["email"].as_str().expect("an address");
    let mails = mail.mails_to(address, 1).await;
    let text = mails[0]["text"].as_str().expect("a text");
    for line in [
        "Subject: 2 new today",
        "- The backup took 3 minutes",
        "- Ada signed up",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let digest = stage.workflow("daily-digest").await;
    let again = digest.run_and_wait(&serde_json::json!({})).await;
    assert_eq!(again["exit_reason"], "nothing to report", "{again}");
}

/// A worker that fails at its first job.
fn worker(request: &Delivery) -> Answer {
    let status = if request.number == 1 { 503 } else { 200 };
    Answer::status(status).body("resized")
}

#[tokio::test]
async fn job_queue_answers_at_once_and_retries_jobs() {
    let mut stage = Stage::start("job-queue", server_as_it_comes(), worker).await;
    stage.run_all().await;
    let runs = stage.workflow("job-queue").await.ended_runs(2).await;
    for run in &runs {
        assert_eq!(run["state"], "succeeded", "{run}");
    }
    let requests = stage.outside.requests();
    let bodies: Vec<_> = requests.iter().map(|request| &*request.body).collect();
    let job = r#"{"task":"resize photo-1.jpg"}"#;
    assert_eq!(bodies, [job, job]);
}
