//! `sluice events` and `sluice logs`, what is there and what comes.

use serde_json::{Value, json};
use sluice_testkit::{Backend, wait_for};

use super::{
    fixtures::{Cli, source},
    home::Live,
    source_commands::wait_for_events,
};
use crate::support::{PATIENCE, shared_server};

/// Emits each number it is given, and negative ones in a channel of their own.
const NUMBERS: &str = r#"export default {
  name: "Numbers", version: "0.0.1",
  run({ n }) { console.log("got", n); this.$emit({ n }, n < 0 ? { name: "negative" } : {}); },
};"#;

struct Numbers {
    cli: Cli,
    id: String,
}

impl Numbers {
    async fn new(numbers: &[i64]) -> Numbers {
        let cli = Cli::new().await;
        let id = source(&cli.api, NUMBERS, "Numbers", json!({})).await;
        let made = Numbers { cli, id };
        for (index, number) in numbers.iter().enumerate() {
            made.emit(*number).await;
            wait_for_events(&made.cli, &made.id, index as u64 + 1).await;
        }
        made
    }

    async fn emit(&self, number: i64) {
        let path = format!("/sources/{}/run", self.id);
        let body = json!({ "event": { "n": number } });
        self.cli.api.post(&path, &body).await.ok();
    }

    fn follow(&self, args: &[&str]) -> Live {
        let url = shared_server(Backend::Sqlite).url().to_owned();
        let env = [
            ("SLUICE_URL".to_owned(), url),
            ("SLUICE_API_KEY".to_owned(), self.cli.api.key().to_owned()),
        ];
        Live::start(args, &env)
    }
}

#[tokio::test]
async fn events_are_bare_json_one_to_a_line_the_newest_ten_unless_told_otherwise() {
    let numbers = Numbers::new(&(1..=12).collect::<Vec<_>>()).await;
    let cli = &numbers.cli;
    let out = cli.ok(&["events", "numbers"]).await;
    let expected: Vec<String> = (3..=12).map(|n| format!("{{\"n\":{n}}}")).collect();
    assert_eq!(out.lines().collect::<Vec<_>>(), expected);
    assert_eq!(
        cli.ok(&["events", "numbers", "-n", "1"]).await,
        "{\"n\":12}\n"
    );
    assert_eq!(cli.run(&["events", "numbers", "-n", "101"]).await.code, 2);
    let told = cli.ok(&["events", &numbers.id, "-n", "2", "--json"]).await;
    let told: Vec<Value> = serde_json::from_str(&told).unwrap();
    assert_eq!(
        (&told[0]["event"]["n"], &told[1]["event"]["n"]),
        (&json!(11), &json!(12))
    );
    assert!(told[0]["metadata"]["emit_id"].is_string());
}

#[tokio::test]
async fn a_channel_has_its_own_events() {
    let numbers = Numbers::new(&[1, -1, 2, -2]).await;
    let args = ["events", "numbers", "--channel", "negative"];
    assert_eq!(numbers.cli.ok(&args).await, "{\"n\":-1}\n{\"n\":-2}\n");
    let mut live = numbers.follow(&[
        "events",
        "numbers",
        "--channel",
        "negative",
        "-f",
        "-n",
        "1",
    ]);
    assert_eq!(live.line().await, "{\"n\":-2}");
    numbers.emit(3).await;
    numbers.emit(-3).await;
    assert_eq!(live.line().await, "{\"n\":-3}");
}

#[tokio::test]
async fn followed_events_come_after_those_that_are_there_none_twice_until_the_source_is_deleted() {
    let numbers = Numbers::new(&[1, 2]).await;
    let mut live = numbers.follow(&["events", "numbers", "-f", "-n", "1"]);
    assert_eq!(live.line().await, "{\"n\":2}");
    numbers.emit(3).await;
    assert_eq!(live.line().await, "{\"n\":3}");
    numbers.cli.ok(&["delete", "numbers"]).await;
    assert_eq!(live.end().await, 0);
}

#[tokio::test]
async fn followed_events_are_one_object_to_a_line_for_programs() {
    let numbers = Numbers::new(&[]).await;
    let mut live = numbers.follow(&["events", "numbers", "-f", "--json"]);
    numbers.emit(7).await;
    let event: Value = serde_json::from_str(&live.line().await).expect("JSON");
    assert_eq!(event["event"], json!({ "n": 7 }));
}

#[tokio::test]
async fn logs_are_lines_with_their_time_and_level_and_can_be_followed() {
    let numbers = Numbers::new(&[1, 2]).await;
    let cli = &numbers.cli;
    let out = wait_for(PATIENCE, "both lines", async || {
        let out = cli.ok(&["logs", "numbers"]).await;
        out.contains("got 2").then_some(out)
    })
    .await;
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].ends_with("  info   got 1"), "{out}");
    assert!(!out.contains('\u{1b}'), "{out}");
    let told = cli.ok(&["logs", "numbers", "-n", "1", "--json"]).await;
    let told: Vec<Value> = serde_json::from_str(&told).unwrap();
    assert_eq!((told.len(), &told[0]["msg"]), (1, &json!("got 2")));

    let mut live = numbers.follow(&["logs", "numbers", "-f", "-n", "1"]);
    assert!(live.line().await.ends_with("got 2"));
    numbers.emit(3).await;
    assert!(live.line().await.ends_with("got 3"));
}
