//! The other commands of `sluice workflows`, for people and for programs.

use serde_json::{Value, json};
use sluice_testkit::receiver::{Answer, Receiver};

use super::fixtures::{Cli, Folder, run};
use crate::workflows::fixtures::{
    ECHO, FRAGILE, deploy, open_server, running, user_of_open_server,
};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[tokio::test]
async fn list_shows_a_line_for_each_and_says_how_to_begin() {
    let cli = Cli::new().await;
    let none = cli.run(&["workflows", "list"]).await;
    assert_eq!((none.code, none.out.as_str()), (0, ""));
    assert!(
        none.err.contains("sluice workflows deploy FILE"),
        "{}",
        none.err
    );
    assert_eq!(
        parsed(&cli.ok(&["workflows", "list", "--json"]).await),
        json!([])
    );
    let echo = deploy(&cli.api, ECHO).await;
    let out = cli.ok(&["workflows", "list"]).await;
    let lines: Vec<Vec<&str>> = out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        lines[0],
        ["SLUG", "ID", "VERSION", "STATE", "QUEUED", "TRIGGERS"]
    );
    assert_eq!(lines[1], ["echo", &echo.id, "1", "active", "0", "http"]);
    assert!(
        !out.contains('\u{1b}'),
        "colours are for terminals: {out:?}"
    );
    let listed = parsed(&cli.ok(&["workflows", "list", "--json"]).await);
    assert_eq!(listed[0], echo.now().await);
}

#[tokio::test]
async fn describe_takes_an_id_or_a_slug() {
    let cli = Cli::new().await;
    let echo = deploy(&cli.api, ECHO).await;
    let by_slug = cli.ok(&["workflows", "describe", "echo"]).await;
    assert_eq!(cli.ok(&["workflows", "describe", &echo.id]).await, by_slug);
    for line in [
        "name         Echo\n",
        "steps        echo\n",
        "endpoint     http",
    ] {
        assert!(by_slug.contains(line), "{line}\n{by_slug}");
    }
    let shown = parsed(&cli.ok(&["workflows", "describe", "echo", "--json"]).await);
    assert_eq!(shown, echo.now().await);
}

#[tokio::test]
async fn a_workflow_that_is_not_there_is_named_with_what_to_do() {
    let cli = Cli::new().await;
    for name in ["nobody", "p_nobody"] {
        let ran = cli.run(&["workflows", "describe", name]).await;
        assert_eq!(ran.code, 5);
        let words =
            format!("sluice: no workflow {name}: list yours with `sluice workflows list`\n");
        assert_eq!(ran.err, words);
    }
}

#[tokio::test]
async fn run_takes_its_event_from_the_command_line_or_a_file() {
    let cli = Cli::new().await;
    deploy(&cli.api, ECHO).await;
    let folder = Folder::with(&[("event.json", "{\"from\": \"a file\"}")]);
    let file = format!("@{}", folder.join("event.json").display());
    for (event, shown) in [
        (r#"{"a": [1]}"#, json!({ "a": [1] })),
        (file.as_str(), json!({ "from": "a file" })),
    ] {
        let args = [
            "workflows",
            "run",
            "echo",
            "--wait",
            "--json",
            "--event",
            event,
        ];
        let run = parsed(&cli.ok(&args).await);
        assert_eq!(run["state"], "succeeded");
        assert_eq!(run["steps"][0]["exports"]["$return_value"], shown);
    }
    let ran = cli
        .run(&["workflows", "run", "echo", "--event", "{oops"])
        .await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--event is not JSON"), "{}", ran.err);
    // Standard input is empty here.
    let ran = cli.run(&["workflows", "run", "echo", "--event", "-"]).await;
    assert!(ran.err.contains("--event is not JSON"), "{}", ran.err);
}

#[tokio::test]
async fn run_gives_the_id_at_once_and_with_wait_exits_with_1_when_the_run_fails() {
    let cli = Cli::new().await;
    let fragile = deploy(&cli.api, FRAGILE).await;
    let id = cli.ok(&["workflows", "run", "fragile"]).await;
    assert_eq!(fragile.ended(id.trim()).await["state"], "succeeded");
    let id = parsed(&cli.ok(&["workflows", "run", "fragile", "--json"]).await);
    fragile.ended(id["id"].as_str().expect("an id")).await;
    let ran = cli
        .run(&[
            "workflows",
            "run",
            "fragile",
            "--wait",
            "--event",
            "{\"fail\": true}",
        ])
        .await;
    assert_eq!(ran.code, 1);
    for line in [
        "state    failed\n",
        "✓ first  ",
        "✗ second  ",
        "Error: as asked (step second)\n",
    ] {
        assert!(ran.out.contains(line), "{line}\n{}", ran.out);
    }
}

#[tokio::test]
async fn runs_are_listed_newest_first_by_state_and_shown_one_by_one() {
    let cli = Cli::new().await;
    let fragile = deploy(&cli.api, FRAGILE).await;
    let good = fragile.run_and_wait(&json!({})).await;
    let bad = fragile.run_and_wait(&json!({ "fail": true })).await;
    let id = |run: &Value| run["id"].as_str().expect("an id").to_owned();
    let out = cli.ok(&["workflows", "runs", "fragile"]).await;
    let rows: Vec<&str> = out.lines().collect();
    assert_eq!(rows.len(), 3, "{out}");
    assert!(
        rows[1].starts_with(&format!("{}  failed", id(&bad))),
        "{out}"
    );
    assert!(rows[1].ends_with("Error: as asked (step second)"), "{out}");
    assert!(
        rows[2].starts_with(&format!("{}  succeeded", id(&good))),
        "{out}"
    );
    let ids = async |args: &[&str]| {
        let all = [&["workflows", "runs", "fragile", "--json"], args].concat();
        let runs = parsed(&cli.ok(&all).await);
        runs.as_array()
            .expect("runs")
            .iter()
            .map(id)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--state", "failed"]).await, [id(&bad)]);
    assert_eq!(ids(&["-n", "1"]).await, [id(&bad)]);
    assert_eq!(ids(&["-n", "200"]).await, [id(&bad), id(&good)]);
    let out = cli.ok(&["workflows", "runs", "fragile", &id(&good)]).await;
    assert!(out.contains("$return_value = \"one two three\"\n"), "{out}");
    let one = parsed(
        &cli.ok(&["workflows", "runs", "fragile", &id(&good), "--json"])
            .await,
    );
    assert_eq!(one, good);
    let ran = cli
        .run(&["workflows", "runs", "fragile", "--state", "odd"])
        .await;
    assert_eq!(ran.code, 2);
}

#[tokio::test]
async fn replay_takes_one_run_or_all_that_failed() {
    let cli = Cli::new().await;
    let fragile = deploy(&cli.api, FRAGILE).await;
    let bad = fragile.run_and_wait(&json!({ "fail": true })).await;
    let id = bad["id"].as_str().expect("an id");
    fragile
        .redeploy(&FRAGILE.replace("if (steps.trigger.event.fail)", "if (false)"))
        .await;
    let again = cli
        .ok(&["workflows", "replay", "fragile", id, "--from", "failed"])
        .await;
    let again = fragile.ended(again.trim()).await;
    assert_eq!(
        (&again["state"], &again["replay_of"]),
        (&json!("succeeded"), &json!(id))
    );
    let at = |run: &Value| run["steps"][0]["exports"]["at"].clone();
    assert_eq!(at(&again), at(&bad), "the first step did not run again");
    let begun = parsed(
        &cli.ok(&["workflows", "replay", "fragile", id, "--json"])
            .await,
    );
    let begun = fragile.ended(begun["id"].as_str().expect("an id")).await;
    assert_ne!(at(&begun), at(&bad));
    assert_eq!(cli.run(&["workflows", "replay", "fragile"]).await.code, 2);
}

#[tokio::test]
async fn all_that_failed_are_replayed_at_once() {
    let cli = Cli::new().await;
    let fragile = deploy(&cli.api, FRAGILE).await;
    for fail in [true, false, true] {
        fragile.run_and_wait(&json!({ "fail": fail })).await;
    }
    fragile
        .redeploy(&FRAGILE.replace("if (steps.trigger.event.fail)", "if (false)"))
        .await;
    let out = cli
        .ok(&["workflows", "replay", "fragile", "--failed"])
        .await;
    assert_eq!(out, "2 runs started\n");
    let runs = fragile.ended_runs(5).await;
    let good = runs
        .iter()
        .filter(|run| run["state"] == "succeeded")
        .count();
    assert_eq!(good, 3);
    let args = ["workflows", "replay", "fragile", "--failed", "--json"];
    assert_eq!(parsed(&cli.ok(&args).await), json!({ "count": 0 }));
}

#[tokio::test]
async fn versions_are_listed_and_rolled_back_to() {
    let cli = Cli::new().await;
    let echo = deploy(&cli.api, ECHO).await;
    echo.redeploy(&ECHO.replace("name: echo", "name: other"))
        .await;
    let out = cli.ok(&["workflows", "versions", "echo"]).await;
    let rows: Vec<Vec<&str>> = out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!((rows[1][0], rows[1].last()), ("2", Some(&"running")));
    assert_eq!(rows[2][0], "1");
    let out = cli.ok(&["workflows", "rollback", "echo", "1"]).await;
    assert_eq!(out, "echo is now at version 1\n");
    let listed = parsed(&cli.ok(&["workflows", "versions", "echo", "--json"]).await);
    assert_eq!(
        (&listed[0]["running"], &listed[1]["running"]),
        (&json!(false), &json!(true))
    );
    let back = parsed(
        &cli.ok(&["workflows", "rollback", "echo", "2", "--json"])
            .await,
    );
    assert_eq!(back["version"], 2);
    let ran = cli.run(&["workflows", "rollback", "echo", "9"]).await;
    assert_eq!(ran.code, 5, "{ran:?}");
}

#[tokio::test]
async fn delete_deletes() {
    let cli = Cli::new().await;
    deploy(&cli.api, ECHO).await;
    let echo = deploy(&cli.api, ECHO).await;
    assert_eq!(
        cli.ok(&["workflows", "delete", "echo"]).await,
        "Deleted echo\n"
    );
    let out = cli.ok(&["workflows", "delete", "echo-1", "--json"]).await;
    assert_eq!(parsed(&out), json!({ "deleted": echo.id }));
    assert_eq!(cli.api.get("/workflows").await.ok(), json!([]));
}

#[tokio::test]
async fn the_schema_needs_no_server() {
    let ran = run(&["workflows", "schema"], &[]).await;
    assert_eq!(ran.code, 0);
    assert!(parsed(&ran.out)["properties"]["steps"].is_object());
}

const APPROVAL: &str = "name: Approval
steps:
  - name: wait
    code: |
      export default defineComponent({ async run({ $ }) { await $.send.emit({ asked: true }); $.flow.suspend(); } })
  - name: after
    code: |
      export default defineComponent({ async run({ steps }) { return steps.wait.$resume_data?.body ?? \"resumed\"; } })
";

#[tokio::test]
async fn a_workflow_is_deactivated_activated_and_shows_its_events_and_its_runs_are_resumed_and_cancelled()
 {
    let cli = Cli::new().await;
    let approval = deploy(&cli.api, APPROVAL).await;
    let out = cli.ok(&["workflows", "deactivate", "approval"]).await;
    assert_eq!(out, "approval is inactive\n");
    assert_eq!(approval.now().await["active"], false);
    let out = cli.ok(&["workflows", "activate", &approval.id]).await;
    assert_eq!(out, "approval is active\n");
    assert_eq!(approval.now().await["active"], true);

    let suspended = async || {
        let run = parsed(
            &cli.ok(&["workflows", "run", "approval", "--wait", "--json"])
                .await,
        );
        run["id"].as_str().expect("an id").to_owned()
    };
    let first = suspended().await;
    let args = [
        "workflows",
        "resume",
        "approval",
        &first,
        "--body",
        r#"{"by": "Ada"}"#,
    ];
    assert_eq!(cli.ok(&args).await, format!("{first} is resumed\n"));
    assert_eq!(approval.ended(&first).await["state"], "succeeded");
    let ran = cli.run(&["workflows", "resume", "approval", &first]).await;
    assert_eq!(ran.code, 1);
    let words = format!("run {first} is succeeded: only a waiting run can be resumed or cancelled");
    assert!(ran.err.contains(&words), "{}", ran.err);

    let second = suspended().await;
    let args = ["workflows", "cancel", "approval", &second];
    assert_eq!(cli.ok(&args).await, format!("{second} is cancelled\n"));
    assert_eq!(approval.ended(&second).await["state"], "cancelled");

    let events = cli.ok(&["workflows", "events", "approval"]).await;
    let line = "{\"raw_event\":{\"asked\":true}}\n";
    assert_eq!(events, format!("{line}{line}"));
    let args = ["workflows", "events", "approval", "-n", "1", "--json"];
    let events = parsed(&cli.ok(&args).await);
    assert_eq!(
        events[0]["event"],
        json!({ "raw_event": { "asked": true } })
    );
}

#[tokio::test]
async fn test_runs_steps_of_a_file_that_is_not_deployed() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[("fragile.yaml", FRAGILE)]);
    let file = folder.join("fragile.yaml").display().to_string();
    let test = |more: &[&str]| {
        let args = [&["workflows", "test", &file], more].concat();
        args.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let run = async |more: &[&str]| {
        let args = test(more);
        cli.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
            .await
    };
    let good = run(&["--step", "second"]).await;
    assert_eq!(good.code, 0, "{}", good.err);
    for line in [
        "✓ first  ",
        "$return_value = \"one two\"\n",
        "test  succeeded\n",
    ] {
        assert!(good.out.contains(line), "{line}\n{}", good.out);
    }
    assert!(!good.out.contains("third"), "{}", good.out);
    let given = r#"second={"$return_value": "my"}"#;
    let only = ["--step", "third", "--only", "--exports", given, "--json"];
    let only = parsed(&run(&only).await.out);
    assert_eq!(only["steps"][0]["exports"]["$return_value"], "my three");
    assert_eq!(only["missing"], json!(["first"]));
    let bad = run(&["--event", r#"{"fail": true}"#]).await;
    assert_eq!(bad.code, 1);
    for line in [
        "✗ second  ",
        "Error: as asked (step second)\n",
        "fragile.yaml:11:",
        "if (steps.trigger.event.fail) throw",
        "test  failed\n",
    ] {
        assert!(bad.out.contains(line), "{line}\n{}", bad.out);
    }
    assert_eq!(cli.ok(&["workflows", "list"]).await, "");
    let unknown = run(&["--step", "fourth"]).await;
    assert_eq!(unknown.code, 1);
    assert!(
        unknown.err.contains("fourth is not a step"),
        "{}",
        unknown.err
    );
}

#[tokio::test]
async fn test_shows_sends_and_sends_them_only_when_it_is_told_to() {
    let receiver = Receiver::start(|_| Answer::status(202));
    let cli = Cli::of(user_of_open_server().await).with_env("SLUICE_URL", open_server().url());
    let body = format!(
        "$.send.http({{ method: 'POST', url: '{}', data: {{ n: 1 }} }}); $.send.email({{ subject: 'Done', text: 'x' }});",
        receiver.url("/orders")
    );
    let document = running(&[("tell", &body)]).to_string();
    let folder = Folder::with(&[("tell.yaml", &document)]);
    let file = folder.join("tell.yaml").display().to_string();

    let shown = cli.ok(&["workflows", "test", &file]).await;
    for line in ["would send http {", "would send email {"] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    assert_eq!(receiver.count(), 0);

    let sent = cli.ok(&["workflows", "test", &file, "--send"]).await;
    for line in [
        "sent http {",
        "}  202",
        "not sent email {",
        "--smtp-url is not set",
    ] {
        assert!(sent.contains(line), "{line}\n{sent}");
    }
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1, "one attempt");
    assert_eq!(requests[0].json(), json!({ "n": 1 }));
}
