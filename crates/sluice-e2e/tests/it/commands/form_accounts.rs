//! Accounts of app props: picked, connected on the spot, or named with a flag.

use serde_json::{Value, json};
use sluice_testkit::{Backend, Key};

use super::fixtures::{Cli, Folder, address_in};
use crate::{
    accounts::fixtures::{agree, key_account, key_app, oauth_app},
    support::shared_server,
};

/// A folder with `uses.mjs`, a component with a prop for the app.
fn folder_for(app: &str) -> Folder {
    let code = format!(
        "export default {{ name: 'Uses', version: '0.0.1', props: {{ service: {{ type: 'app', app: '{app}' }} }}, run() {{}} }};"
    );
    Folder::with(&[("uses.mjs", &code)])
}

fn account_of(source: &Value) -> &Value {
    &source["configured_props"]["service"]["authProvisionId"]
}

#[tokio::test]
async fn the_first_account_is_made_on_the_spot_with_its_key_hidden() {
    let cli = Cli::new().await;
    let app = key_app(shared_server(Backend::Sqlite)).await;
    let folder = folder_for(&app);
    let file = folder.join("uses.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"]);
    terminal.wait_for_text("New account of Keyed").await;
    terminal.wait_for_text("API key").await;
    terminal.type_line("");
    terminal.wait_for_text("is required").await;
    terminal.type_line("key-of-mine");
    terminal.wait_for_text("region").await;
    terminal.type_line("eu");
    terminal.wait_for_text("Name of the account").await;
    terminal.type_line("Mine");
    assert_eq!(terminal.exit_code().await, 0);
    assert!(!terminal.output().contains("key-of"));
    let source = cli.only_source().await;
    let account = account_of(&source).as_str().expect("an account");
    let path = format!("/accounts/{account}?include_credentials=true");
    let account = cli.api.get(&path).await.ok();
    assert_eq!(account["name"], "Mine");
    assert_eq!(
        account["credentials"],
        json!({ "api_key": "key-of-mine", "region": "eu" })
    );
}

#[tokio::test]
async fn an_account_is_picked_from_those_that_are_there() {
    let cli = Cli::new().await;
    let app = key_app(shared_server(Backend::Sqlite)).await;
    let first = key_account(&cli.api, &app, "1").await;
    key_account(&cli.api, &app, "2").await;
    let folder = folder_for(&app);
    let file = folder.join("uses.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"]);
    terminal.wait_for_text("Account of Keyed").await;
    terminal
        .wait_for_text("Connect another account of Keyed…")
        .await;
    terminal.type_text(&first);
    terminal.press(Key::Enter);
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(account_of(&cli.only_source().await), &json!(first));
}

#[tokio::test]
async fn an_oauth_account_is_connected_in_a_browser_while_the_form_waits() {
    let cli = Cli::new().await;
    let app = oauth_app(shared_server(Backend::Sqlite)).await;
    let folder = folder_for(&app);
    let file = folder.join("uses.mjs");
    let mut terminal = cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"]);
    terminal.wait_for_text("Waiting for the browser").await;
    let url = address_in(&terminal.output());
    agree(&cli.api, &url, "alice").await;
    assert_eq!(terminal.exit_code().await, 0);
    let source = cli.only_source().await;
    assert!(account_of(&source).is_string(), "{source}");
}

#[tokio::test]
async fn without_a_terminal_an_account_is_named_by_id_or_name() {
    let cli = Cli::new().await;
    let app = key_app(shared_server(Backend::Sqlite)).await;
    let account = key_account(&cli.api, &app, "1").await;
    let folder = folder_for(&app);
    let file = folder.join("uses.mjs");
    let deploy = ["deploy", file.to_str().unwrap()];
    let ran = cli.run(&deploy).await;
    assert_eq!(ran.code, 1);
    let flag = format!("--account {app}=ACCOUNT");
    assert!(ran.err.contains(&flag), "{}", ran.err);
    for given in [
        format!("{app}={account}"),
        format!("{app}=Keyed"),
        format!("service={account}"),
    ] {
        let out = cli
            .ok(&[&deploy[..], &["--json", "--account", &given]].concat())
            .await;
        let source: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(account_of(&source), &json!(account), "{given}");
    }
    let by_prop = format!("service={account}");
    cli.ok(&[&deploy[..], &["--prop", &by_prop]].concat()).await;
    let nobody = format!("{app}=nobody");
    let ran = cli
        .run(&[&deploy[..], &["--account", &nobody]].concat())
        .await;
    assert_eq!(ran.code, 5, "{}", ran.err);
}

#[tokio::test]
async fn without_a_client_a_token_is_enough_and_declining_ends_the_command() {
    let cli = Cli::new().await;
    let folder = folder_for("notion");
    let file = folder.join("uses.mjs");
    let deploy = ["deploy", file.to_str().unwrap(), "--no-follow"];
    let mut terminal = cli.terminal(&deploy);
    terminal.wait_for_text("Enter a token of Notion").await;
    terminal.type_line("n");
    assert_eq!(terminal.exit_code().await, 1);
    let mut terminal = cli.terminal(&deploy);
    terminal.wait_for_text("Enter a token of Notion").await;
    terminal.type_line("y");
    terminal.wait_for_text("Access token of Notion").await;
    terminal.type_line("token-of-mine");
    assert_eq!(terminal.exit_code().await, 0);
    assert!(!terminal.output().contains("token-of-mine"));
    let source = cli.only_source().await;
    assert!(account_of(&source).is_string(), "{source}");
}
