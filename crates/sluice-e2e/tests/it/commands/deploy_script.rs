//! `sluice deploy --timer`: a plain script that runs on a schedule.

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::fixtures::{Cli, Folder};
use crate::support::PATIENCE;

async fn first_event(cli: &Cli) -> Value {
    let id = cli.only_source().await["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    wait_for(PATIENCE, "an event", async || {
        let path = format!("/sources/{id}/event_summaries");
        let events = cli.api.get(&path).await.ok();
        events
            .as_array()?
            .last()
            .map(|event| event["event"].clone())
    })
    .await
}

#[tokio::test]
async fn a_script_runs_from_its_first_line_to_its_last_on_each_tick() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[
        (
            "check.js",
            "import { basename } from 'node:path';\nimport { word } from './lib/word.js';\nconst name = basename('/a/b');\nthis.$emit({ name, word, tick: event.interval_seconds });\n",
        ),
        ("lib/word.js", "export const word = 'hi';"),
    ]);
    let file = folder.join("check.js");
    let args = [
        "deploy",
        "--timer",
        "--frequency",
        "1h",
        "--run",
        file.to_str().unwrap(),
    ];
    let out = cli.ok(&args).await;
    assert!(
        out.contains("Deployed check\n") && out.contains("timer   every 1h\n"),
        "{out}"
    );
    assert_eq!(
        first_event(&cli).await,
        json!({ "name": "b", "word": "hi", "tick": 3600 })
    );
}

#[tokio::test]
async fn the_function_that_a_script_exports_is_called_with_the_tick() {
    for (name, script) in [
        (
            "esm.mjs",
            "export default async function (event) { this.$emit(Object.keys(event).includes('timestamp')); }",
        ),
        (
            "cjs.cjs",
            "const os = require('os');\nmodule.exports = async function (event) { this.$emit(Object.keys(event).includes('timestamp')); };",
        ),
        (
            "typed.ts",
            "type Tick = { timestamp: number };\nexport async function run(event: Tick) { this.$emit(Object.keys(event).includes('timestamp')); }",
        ),
    ] {
        let cli = Cli::new().await;
        let folder = Folder::with(&[(name, script)]);
        let file = folder.join(name);
        cli.ok(&[
            "deploy",
            "--timer",
            "--frequency",
            "1h",
            "--run",
            file.to_str().unwrap(),
        ])
        .await;
        assert_eq!(first_event(&cli).await, json!(true), "{name}");
    }
}

#[tokio::test]
async fn a_script_has_a_schedule_of_one_kind_and_mistakes_have_their_place() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[("job.js", "console.log(1);"), ("bad.js", "\nlet = ;")]);
    let (job, bad) = (folder.join("job.js"), folder.join("bad.js"));
    let (job, bad) = (job.to_str().unwrap(), bad.to_str().unwrap());
    let out = cli
        .ok(&["deploy", "--timer", "--cron", "0 9 * * 1-5", "--run", job])
        .await;
    assert!(out.contains("timer   0 9 * * 1-5 (UTC)\n"), "{out}");
    for args in [
        &["--timer", "--run", job][..],
        &["--timer", "--cron", "0 9 * * *"],
        &[
            "--timer",
            "--cron",
            "0 9 * * *",
            "--frequency",
            "1h",
            "--run",
            job,
        ],
        &["--timer", "--frequency", "often", "--run", job],
        &["--run", job],
        &[job, "--timer", "--frequency", "1h", "--run", job],
    ] {
        let ran = cli.run(&[&["deploy"], args].concat()).await;
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
    }
    let ran = cli
        .run(&["deploy", "--timer", "--cron", "0 9 * * *", "--run", bad])
        .await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("bad.js:2:7: SyntaxError"), "{}", ran.err);
    let ran = cli
        .run(&["deploy", "--timer", "--cron", "whenever", "--run", job])
        .await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("cron expression"), "{}", ran.err);
}
