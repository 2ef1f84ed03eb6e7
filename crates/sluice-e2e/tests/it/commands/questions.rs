//! What commands ask at a terminal.

use serde_json::json;
use sluice_testkit::{Backend, Terminal, sluice_binary};

use super::{
    fixtures::{Cli, Folder, component, source},
    home::Home,
};
use crate::support::shared_server;

#[tokio::test]
async fn login_asks_for_the_key_and_never_shows_it() {
    let (home, cli) = (Home::new(), Cli::new().await);
    let url = shared_server(Backend::Sqlite).url();
    let folder = Folder::new();
    let program = sluice_binary();
    let args = ["login", "--url", url];
    let mut terminal = Terminal::start(program, &args, &home.env(), &folder.join(""));
    terminal.wait_for_text("API key for").await;
    terminal.type_line(cli.api.key());
    terminal.wait_for_text("Logged in as").await;
    assert_eq!(terminal.exit_code().await, 0);
    assert!(!terminal.output().contains(cli.api.key()));
    assert!(home.config().contains(cli.api.key()));
}

#[tokio::test]
async fn delete_asks_and_only_yes_deletes() {
    let cli = Cli::new().await;
    let id = source(&cli.api, &component("Kept", ""), "Kept", json!({})).await;
    let path = format!("/sources/{id}");
    let mut terminal = cli.terminal(&["delete", "kept"]);
    terminal.wait_for_text("Delete 1 source").await;
    terminal.type_line("n");
    terminal.wait_for_text("nothing was changed").await;
    assert_eq!(terminal.exit_code().await, 1);
    cli.api.get(&path).await.expect(200);

    let mut terminal = cli.terminal(&["delete", "kept"]);
    terminal.wait_for_text("Delete 1 source").await;
    terminal.type_line("y");
    terminal.wait_for_text("Deleted kept").await;
    cli.api.get(&path).await.expect(404);
}

#[tokio::test]
async fn list_asks_what_to_list() {
    let cli = Cli::new().await;
    let mut terminal = cli.terminal(&["list"]);
    terminal.wait_for_text("Kind of items").await;
    terminal.type_line("workflows");
    terminal.wait_for_text("No workflows").await;
    assert_eq!(terminal.exit_code().await, 0);
}
