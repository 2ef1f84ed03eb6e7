//! The form of `sluice deploy`: every kind of prop, asked for in a terminal.

use serde_json::{Value, json};
use sluice_testkit::{Key, wait_for};

use super::fixtures::{Cli, Folder, component};
use crate::support::PATIENCE;

async fn props_of(cli: &Cli) -> Value {
    cli.only_source().await["configured_props"].clone()
}

#[tokio::test]
async fn texts_numbers_and_choices_are_asked_for_by_their_labels() {
    let cli = Cli::new().await;
    let code = component(
        "Asks",
        "text: { type: 'string', label: 'A text', description: 'What to say' },
         count: { type: 'integer', label: 'A count', min: 1, max: 9 },
         flag: { type: 'boolean', label: 'A flag' },
         color: { type: 'string', label: 'A color', options: [{ label: 'Red', value: 'r' }, { label: 'Green', value: 'g' }] },
         sizes: { type: 'integer[]', label: 'Some sizes', options: [1, 2, 3] },
         preset: { type: 'string', default: 'p' }, extra: { type: 'string', optional: true }",
    );
    let folder = Folder::with(&[("asks.mjs", &code)]);
    let file = folder.join("asks.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"]);
    terminal.wait_for_text("A text").await;
    assert!(terminal.screen().contains("What to say"));
    terminal.type_line("hello you");
    terminal.wait_for_text("A count").await;
    assert!(terminal.screen().contains("from 1 to 9"));
    terminal.type_line("12");
    terminal.wait_for_text("must be at most 9").await;
    terminal.press(Key::Backspace);
    terminal.press(Key::Backspace);
    terminal.type_line("many");
    terminal.wait_for_text("must be an integer").await;
    for _ in "many".chars() {
        terminal.press(Key::Backspace);
    }
    terminal.type_line("7");
    terminal.wait_for_text("A flag").await;
    terminal.type_line("y");
    terminal.wait_for_text("A color").await;
    terminal.press(Key::Down);
    terminal.press(Key::Enter);
    terminal.wait_for_text("Some sizes").await;
    terminal.press(Key::Space);
    terminal.press(Key::Down);
    terminal.press(Key::Down);
    terminal.press(Key::Space);
    terminal.press(Key::Enter);
    assert_eq!(terminal.exit_code().await, 0);
    let screen = terminal.screen();
    assert!(screen.contains("Deployed asks"), "{screen}");
    assert!(
        terminal.output().contains('\u{1b}'),
        "colours are for terminals"
    );
    assert_eq!(
        props_of(&cli).await,
        json!({ "text": "hello you", "count": 7, "flag": true, "color": "g", "sizes": [1, 3], "preset": "p" })
    );
}

#[tokio::test]
async fn lists_objects_and_requests_are_asked_for_line_by_line() {
    let cli = Cli::new().await;
    let code = component(
        "Structured",
        "tags: { type: 'string[]', label: 'Some tags' }, map: { type: 'object', label: 'A map' },
         whole: { type: 'object', label: 'A whole' }, what: { type: 'any', label: 'Anything' },
         query: { type: 'sql', label: 'A query' }, request: { type: 'http_request', label: 'A request' },
         store: { type: 'data_store', label: 'A store' }, folder: { type: 'dir' }, db: '$.service.db'",
    );
    let folder = Folder::with(&[("structured.mjs", &code)]);
    let file = folder.join("structured.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"]);
    for (question, answer) in [
        ("Some tags [1]", "one"),
        ("Some tags [2]", "2"),
        ("Some tags [3]", ""),
        ("A map [1]", "a=1"),
        ("A map [2]", "b=two words"),
        ("A map [3]", ""),
        ("A whole [1]", "{\"x\": [1]}"),
        ("A whole [2]", ""),
        ("Anything", "[true]"),
        ("A query", "select 1"),
    ] {
        terminal.wait_for_text(question).await;
        terminal.type_line(answer);
    }
    terminal.wait_for_text("A request: URL").await;
    terminal.type_line("example.com");
    terminal
        .wait_for_text("must have a url that begins with http:// or https://")
        .await;
    for _ in "example.com".chars() {
        terminal.press(Key::Backspace);
    }
    terminal.type_line("https://example.com");
    terminal.wait_for_text("A request: method").await;
    terminal.press(Key::Down);
    terminal.press(Key::Enter);
    terminal.wait_for_text("A request: headers [1]").await;
    terminal.type_line("Accept: text/plain");
    terminal.wait_for_text("A request: headers [2]").await;
    terminal.type_line("");
    terminal.wait_for_text("A request: body").await;
    terminal.type_line("hi");
    terminal.wait_for_text("A store").await;
    terminal.type_line("things");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(
        props_of(&cli).await,
        json!({
            "tags": ["one", "2"], "map": { "a": 1, "b": "two words" }, "whole": { "x": [1] }, "what": [true],
            "query": { "query": "select 1", "params": [] }, "store": "things",
            "request": { "url": "https://example.com", "method": "POST", "headers": [{ "name": "Accept", "value": "text/plain" }], "body": "hi" },
            "db": { "type": "$.service.db" },
        })
    );
}

#[tokio::test]
async fn a_schedule_that_the_code_leaves_open_is_asked_for_and_hourly_by_default() {
    let cli = Cli::new().await;
    let code = component("Timed", "timer: '$.interface.timer'");
    let fixed = component(
        "Fixed",
        "timer: { type: '$.interface.timer', default: { cron: '0 9 * * *' } }",
    );
    let folder = Folder::with(&[("timed.mjs", &code), ("fixed.mjs", &fixed)]);
    let file = folder.join("timed.mjs");
    let deploy = ["deploy", file.to_str().unwrap(), "--no-follow"];
    let mut terminal = cli.terminal(&deploy);
    terminal.wait_for_text("(1h)").await;
    terminal.type_line("often");
    terminal
        .wait_for_text("is not a valid cron expression")
        .await;
    for _ in "often".chars() {
        terminal.press(Key::Backspace);
    }
    terminal.type_line("90m");
    terminal.wait_for_text("every 1h 30m").await;
    assert_eq!(terminal.exit_code().await, 0);
    let mut terminal = cli.terminal(&deploy);
    terminal.wait_for_text("(1h)").await;
    terminal.type_line("");
    terminal.wait_for_text("every 1h").await;
    assert_eq!(terminal.exit_code().await, 0);
    let file = folder.join("fixed.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"]);
    assert_eq!(terminal.exit_code().await, 0);
    let screen = terminal.screen();
    assert!(screen.contains("timer   0 9 * * * (UTC)"), "{screen}");
}

#[tokio::test]
async fn a_secret_is_never_on_the_screen() {
    let cli = Cli::new().await;
    let code = "export default { name: 'Secretive', version: '0.0.1', props: { token: { type: 'string', label: 'Token', secret: true }, last: { type: 'string', label: 'Last' } },
        run() { this.$emit({ length: this.token.length }); } };";
    let folder = Folder::with(&[("secretive.mjs", code)]);
    let file = folder.join("secretive.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"]);
    terminal.wait_for_text("Token").await;
    terminal.type_line("hunter2hunter2");
    terminal.wait_for_text("Last").await;
    terminal.type_line("x");
    assert_eq!(terminal.exit_code().await, 0);
    let output = terminal.output();
    assert!(!output.contains("hunter"), "{output}");
    let source = cli.only_source().await;
    assert_eq!(source["configured_props"]["token"], "********");
    let path = format!("/sources/{}", source["id"].as_str().unwrap());
    cli.api.post(&format!("{path}/run"), &json!({})).await.ok();
    let events = wait_for(PATIENCE, "the event", async || {
        let events = cli.api.get(&format!("{path}/event_summaries")).await.ok();
        (events != json!([])).then_some(events)
    })
    .await;
    assert_eq!(events[0]["event"], json!({ "length": 14 }));
}

#[tokio::test]
async fn with_prompt_all_defaults_are_shown_and_optional_props_can_be_left_out() {
    let cli = Cli::new().await;
    let code = component(
        "All",
        "preset: { type: 'string', label: 'Preset', default: 'as it was' }, extra: { type: 'string', label: 'Extra', optional: true },
         pick: { type: 'string', label: 'Pick', optional: true, options: ['a', 'b'] }, hidden: { type: 'string', hidden: true, optional: true }",
    );
    let folder = Folder::with(&[("all.mjs", &code)]);
    let file = folder.join("all.mjs");
    let args = [
        "deploy",
        file.to_str().unwrap(),
        "--no-follow",
        "--prompt-all",
    ];
    let mut terminal = cli.terminal(&args);
    terminal.wait_for_text("(as it was)").await;
    terminal.type_line("");
    terminal.wait_for_text("Extra").await;
    terminal.type_line("");
    terminal.wait_for_text("Pick").await;
    terminal.type_line("leave");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(props_of(&cli).await, json!({ "preset": "as it was" }));
}

#[tokio::test]
async fn what_is_given_with_flags_is_not_asked_for() {
    let cli = Cli::new().await;
    let code = component(
        "Half",
        "one: { type: 'string', label: 'The first' }, two: { type: 'string', label: 'The second' }",
    );
    let folder = Folder::with(&[("half.mjs", &code)]);
    let file = folder.join("half.mjs");
    let args = [
        "deploy",
        file.to_str().unwrap(),
        "--no-follow",
        "--prop",
        "one=1",
    ];
    let mut terminal = cli.terminal(&args);
    terminal.wait_for_text("The second").await;
    assert!(!terminal.screen().contains("The first"));
    terminal.type_line("2");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(props_of(&cli).await, json!({ "one": "1", "two": "2" }));
}

#[tokio::test]
async fn props_that_depend_on_others_are_asked_for_when_those_are_known() {
    let cli = Cli::new().await;
    let code = "export default { name: 'Dynamic', version: '0.0.1', props: { kind: { type: 'string', label: 'Kind', options: ['box', 'bag'], reloadProps: true } },
        additionalProps() { return this.kind === 'bag' ? { size: { type: 'integer', label: `Size of the ${this.kind}` } } : {}; }, run() {} };";
    let folder = Folder::with(&[("dynamic.mjs", code)]);
    let file = folder.join("dynamic.mjs");
    let deploy = ["deploy", file.to_str().unwrap(), "--no-follow"];
    let mut terminal = cli.terminal(&deploy);
    terminal.wait_for_text("Kind").await;
    terminal.type_line("bag");
    terminal.wait_for_text("Size of the bag").await;
    terminal.type_line("3");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(props_of(&cli).await, json!({ "kind": "bag", "size": 3 }));
    let flags = ["--prop", "kind=bag", "--prop", "size=4", "--name", "Given"];
    cli.ok(&[&deploy[..], &flags].concat()).await;
    let ran = cli
        .run(&[&deploy[..], &["--prop", "kind=bag"]].concat())
        .await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("--prop size=<integer>    Size of the bag"),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn what_the_server_refuses_is_asked_for_again() {
    let cli = Cli::new().await;
    // Only the server knows the props that come without `reloadProps`.
    let code = "export default { name: 'Late', version: '0.0.1', props: { n: { type: 'integer', label: 'Number' } },
        additionalProps() { return this.n > 1 ? { late: { type: 'string', label: 'A latecomer' } } : {}; }, run() {} };";
    let folder = Folder::with(&[("late.mjs", code)]);
    let file = folder.join("late.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"]);
    terminal.wait_for_text("Number").await;
    terminal.type_line("2");
    terminal.wait_for_text("late is required").await;
    terminal.wait_for_text("A latecomer").await;
    terminal.type_line("here");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(props_of(&cli).await, json!({ "n": 2, "late": "here" }));
}

#[tokio::test]
async fn ctrl_c_leaves_with_130_and_nothing_half_made() {
    let cli = Cli::new().await;
    let code = component(
        "Asks",
        "one: { type: 'string', label: 'The first' }, two: { type: 'string', label: 'The second' }",
    );
    let folder = Folder::with(&[("asks.mjs", &code)]);
    let file = folder.join("asks.mjs");
    for key in [Key::CtrlC, Key::Escape] {
        let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap()]);
        terminal.wait_for_text("The first").await;
        terminal.type_line("1");
        terminal.wait_for_text("The second").await;
        terminal.press(key);
        assert_eq!(terminal.exit_code().await, 130);
    }
    assert_eq!(cli.api.get("/users/me/sources").await.ok(), json!([]));
}
