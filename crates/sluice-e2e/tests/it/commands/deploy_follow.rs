//! Following the events of what was just deployed.

use serde_json::{Value, json};
use sluice_testkit::{Key, Method, Server};

use super::fixtures::{Cli, Folder};
use crate::support::own_server;

const ECHO: &str =
    "export default { name: 'Echo', version: '0.0.1', props: { http: '$.interface.http' },
    hooks: { deploy() { this.$emit({ first: true }, { summary: 'from the hook' }); } },
    run(event) { this.$emit(event.body, { summary: `said ${event.body.word}` }); } };";

async fn send(cli: &Cli, word: &str) {
    let source = cli.only_source().await;
    let endpoint = &source["configured_props"]["http"]["endpoint_url"];
    let request = cli
        .api
        .absolute(Method::POST, endpoint.as_str().expect("an endpoint"));
    request
        .json(&json!({ "word": word }))
        .send()
        .await
        .expect(200);
}

#[tokio::test]
async fn events_are_shown_as_they_come_until_ctrl_c() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[("echo.mjs", ECHO)]);
    let file = folder.join("echo.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap()]);
    terminal.wait_for_text("Following events").await;
    terminal.wait_for_text("from the hook").await;
    send(&cli, "one").await;
    terminal.wait_for_text("said one").await;
    terminal.wait_for_text("\"word\": \"one\"").await;
    terminal.press(Key::CtrlC);
    assert_eq!(terminal.exit_code().await, 130);
    assert_eq!(cli.only_source().await["active"], true, "the source stays");
}

#[tokio::test]
async fn it_ends_when_the_source_is_deleted() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[("echo.mjs", ECHO)]);
    let file = folder.join("echo.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap()]);
    terminal.wait_for_text("from the hook").await;
    let id = cli.only_source().await["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    cli.api.delete(&format!("/sources/{id}")).await.expect(204);
    terminal.wait_for_text("The source was deleted").await;
    assert_eq!(terminal.exit_code().await, 0);
}

#[tokio::test]
async fn in_a_pipe_events_are_followed_when_asked_for_one_to_a_line() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[("echo.mjs", ECHO)]);
    let file = folder.join("echo.mjs");
    let args = ["deploy", file.to_str().unwrap(), "--follow", "--json"];
    // It ends with its source, which goes when two events have been seen.
    let (ran, ()) = tokio::join!(cli.run(&args), async {
        let source = sluice_testkit::wait_for(crate::support::PATIENCE, "the source", async || {
            let sources = cli.api.get("/users/me/sources").await.ok();
            sources[0]["id"].as_str().map(str::to_owned)
        })
        .await;
        send(&cli, "one").await;
        sluice_testkit::wait_for(crate::support::PATIENCE, "two events", async || {
            let path = format!("/sources/{source}/event_summaries");
            let events = cli.api.get(&path).await.ok();
            (events.as_array().map(Vec::len) == Some(2)).then_some(())
        })
        .await;
        cli.api
            .delete(&format!("/sources/{source}"))
            .await
            .expect(204);
    });
    assert_eq!(ran.code, 0, "{ran:#?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    let event = |line: &&str| serde_json::from_str::<Value>(line).ok();
    let events: Vec<Value> = lines.iter().rev().take(2).filter_map(event).collect();
    assert_eq!(events[1]["event"], json!({ "first": true }), "{ran:#?}");
    assert_eq!(events[0]["metadata"]["summary"], "said one");
}

#[tokio::test]
async fn a_server_that_goes_away_and_comes_back_is_followed_on_without_loss_or_repetition() {
    let mut server = Server::start(own_server()).await;
    let cli = Cli::of(server.api()).with_env("SLUICE_URL", server.url());
    let folder = Folder::with(&[("echo.mjs", ECHO)]);
    let file = folder.join("echo.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap()]);
    terminal.wait_for_text("from the hook").await;
    send(&cli, "before").await;
    terminal.wait_for_text("said before").await;
    server.kill9();
    terminal
        .wait_for_text("Lost the connection to the server, reconnecting")
        .await;
    server.restart().await;
    send(&cli, "after").await;
    terminal.wait_for_text("Reconnected to the server").await;
    terminal.wait_for_text("said after").await;
    let screen = terminal.screen();
    for said in ["from the hook", "said before", "said after"] {
        assert_eq!(screen.matches(said).count(), 1, "{said}\n{screen}");
    }
    terminal.press(Key::CtrlC);
    assert_eq!(terminal.exit_code().await, 130);
}
