//! The examples, each deployed and run as its README prints it, against receivers on loopback.

mod queues;
mod sources;
mod stage;

use std::{collections::BTreeSet, fs, path::Path, time::Duration};

use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Delivery},
    wait_for,
};

use self::stage::Stage;
use crate::{
    support::{PATIENCE, deploy, server_as_it_comes},
    workflows::{
        link_page::{open, press},
        sends::s3_server::S3Server,
    },
};

/// What is sent to S3 goes out at the end of the minute.
const MINUTE: Duration = Duration::from_secs(90);

fn fine(_: &Delivery) -> Answer {
    Answer::status(200)
}

/// The bodies of what came to a path.
fn bodies(requests: &[Delivery], path: &str) -> Vec<Value> {
    let to_path = requests.iter().filter(|request| request.path == path);
    to_path.map(Delivery::json).collect()
}

#[test]
fn the_index_has_every_example() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    let index = fs::read_to_string(folder.join("README.md")).expect("the index");
    for entry in fs::read_dir(folder).expect("the examples").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_listed = index.contains(&format!("[{name}]({name})"));
        assert!(
            is_listed || entry.path().is_file(),
            "{name} is not in the index"
        );
    }
}

#[tokio::test]
async fn filter_and_forward_passes_on_what_is_paid() {
    let mut stage = Stage::start("filter-and-forward", server_as_it_comes(), fine).await;
    stage.run_all().await;
    let workflow = stage.workflow("filter-and-forward").await;
    let runs = workflow.ended_runs(2).await;
    let reasons: Vec<_> = runs.iter().map(|run| &run["exit_reason"]).collect();
    assert_eq!(reasons, [&json!("not paid: open"), &Value::Null]);
    assert_eq!(
        runs[1]["steps"][1]["exports"]["$summary"],
        "Forwarded order o-1"
    );
    let forwarded = bodies(&stage.outside.wait_for(1).await, "/orders");
    assert_eq!(forwarded, [json!({ "id": "o-1", "total": 17 })]);
    for run in &runs {
        assert_eq!(run["state"], "succeeded", "{run}");
    }
}

#[tokio::test]
async fn error_watch_hears_of_every_workflow_and_source() {
    let mut stage = Stage::start("error-watch", server_as_it_comes(), fine).await;
    stage.run_all().await;
    let failing = stage.workflow("failing").await;
    let texts = async |count| bodies(&stage.outside.wait_for(count).await, "/hooks/errors");
    let of_workflow = json!({ "text": format!("Error in {}: on purpose", failing.id) });
    assert_eq!(texts(1).await, std::slice::from_ref(&of_workflow));

    let code = r#"export default {
      name: "Fragile", version: "0.0.1", run() { throw new RangeError("too far") },
    };"#;
    let source = deploy(&stage.api, code).await;
    source.run(json!({})).await;
    let of_source = json!({ "text": format!("RangeError in {}: too far", source.id) });
    assert_eq!(texts(2).await, [of_workflow, of_source]);
}

const EXPENSE: &str = r#"{"who": "Bob", "what": "a yacht", "amount": 4200000}"#;

#[tokio::test]
async fn approval_pays_what_is_approved_and_nothing_else() {
    let mut stage = Stage::start("approval", server_as_it_comes(), fine).await;
    let [ask, approve] = stage.blocks().try_into().expect("two blocks");
    stage.run(&ask).await;
    let asked = bodies(&stage.outside.wait_for(1).await, "/hooks/approvals");
    assert_eq!(asked[0]["text"], "Ada asks for 42 for a train ticket.");
    let address = asked[0]["approve"].as_str().expect("an address");
    stage.run(&format!("approve='{address}'\n{approve}")).await;
    let paid = bodies(&stage.outside.wait_for(2).await, "/payments");
    let expected =
        json!({ "who": "Ada", "what": "a train ticket", "amount": 42, "approved_by": "Grace" });
    assert_eq!(paid, [expected]);

    // A person opens a link and presses a button.
    let workflow = stage.workflow("approval").await;
    let event: Value = serde_json::from_str(EXPENSE).expect("JSON");
    workflow.send(&event).await.expect(200);
    let asked = bodies(&stage.outside.wait_for(3).await, "/hooks/approvals");
    let address = |what: &str| asked[1][what].as_str().expect("an address");
    let refused = press(&stage.api, address("refuse"), "Cancel run").await;
    assert_eq!(refused.status, 200, "{}", refused.text);
    assert_eq!(open(&stage.api, address("approve")).await.status, 404);
    let runs = workflow.ended_runs(2).await;
    let states: Vec<_> = runs.iter().map(|run| &run["state"]).collect();
    assert_eq!(states, ["cancelled", "succeeded"]);
    assert_eq!(stage.outside.count(), 3);
}

const FEED: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Example</title>
<item><title>Newer &amp; better</title><link>https://example.org/2</link><guid>2</guid><pubDate>Tue, 03 Nov 2026 10:00:00 GMT</pubDate></item>
<item><title>Older</title><link>https://example.org/1</link><guid>1</guid><pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate></item>
</channel></rss>"#;

#[tokio::test]
async fn feed_to_files_keeps_every_entry_in_s3() {
    let s3 = S3Server::start();
    let feed = |_: &Delivery| Answer::status(200).body(FEED);
    let mut stage = Stage::start("feed-to-files", s3.options(), feed).await;
    let [deploy_source, deploy_workflow, replay] = stage.blocks().try_into().expect("three blocks");
    stage.run(&deploy_source).await;
    let sources = stage.api.get("/users/me/sources").await.ok();
    let source = sources[0]["id"].as_str().expect("an id");
    let summaries = format!("/sources/{source}/event_summaries?expand=event");
    wait_for(PATIENCE, "the first poll", async || {
        let page = stage.api.get(&summaries).await.ok();
        (page.as_array().map(Vec::len) == Some(2)).then_some(())
    })
    .await;
    stage.run(&deploy_workflow).await;
    stage.run(&replay).await;
    let workflow = stage.workflow("feed-to-files").await;
    let runs = wait_for(MINUTE, "the entries to be in S3", async || {
        let runs = workflow.ended_runs(2).await;
        let is_sent = |run: &Value| run["sends"][0]["state"] == "sent";
        runs.iter().all(is_sent).then_some(runs)
    })
    .await;
    assert_eq!(runs.len(), 2);
    let objects = s3.objects();
    let files = objects
        .into_iter()
        .filter(|(key, _)| key.starts_with("feeds/example/20"));
    let lines: BTreeSet<String> = files.flat_map(|(_, lines)| lines).collect();
    let entry = |title: &str, number: u32, published: &str| {
        let link = format!("https://example.org/{number}");
        json!({ "title": title, "link": link, "published": published })
    };
    let entries: Vec<Value> = lines
        .iter()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let expected = [
        entry("Newer & better", 2, "Tue, 03 Nov 2026 10:00:00 GMT"),
        entry("Older", 1, "Mon, 02 Nov 2026 10:00:00 GMT"),
    ];
    assert_eq!(entries, expected);
}
