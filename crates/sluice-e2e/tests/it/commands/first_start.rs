//! What the first start of a server leaves for commands.

use sluice_testkit::{Server, scratch_folder};

use super::home::Home;
use crate::support::own_server;

fn start(home: &Home) -> sluice_testkit::ServerOptions {
    let options = own_server();
    home.env()
        .into_iter()
        .fold(options, |options, (name, value)| options.env(name, value))
}

#[tokio::test]
async fn the_first_start_writes_a_profile_and_the_banner_says_what_comes_next() {
    let home = Home::new();
    let mut server = Server::start(start(&home)).await;
    let config = home.config();
    assert!(config.contains(server.api_key()), "{config}");
    assert!(config.contains(server.url()), "{config}");
    let who = home.run(&["whoami"]).await;
    assert!(who.out.contains("operator"), "{who:#?}");
    let log = server.logs();
    let console = format!("Console:      {}/\n", server.url());
    for words in [
        &console,
        server.url(),
        "config.toml",
        "sluice init source hello && sluice deploy hello.mjs",
    ] {
        assert!(log.contains(words), "{words}: {log}");
    }
    // Logs are kept and passed on.
    assert!(!log.contains(server.api_key()), "{log}");

    home.set_config("# mine\n");
    server.restart().await;
    assert_eq!(home.config(), "# mine\n");
}

#[tokio::test]
async fn a_profile_for_another_server_is_left_alone() {
    let home = Home::new();
    let taken = "[profiles.default]\nurl = \"http://other.example\"\napi_key = \"k\"\n";
    home.set_config(taken);
    let server = Server::start(start(&home)).await;
    assert_eq!(home.config(), taken);
    let log = server.logs();
    let login = format!(
        "sluice login --profile local --url {} --api-key $SLUICE_API_KEY",
        server.url()
    );
    assert!(log.contains(&login), "{log}");
}

#[tokio::test]
async fn a_server_that_begins_anew_at_the_same_address_takes_its_profile() {
    let (home, folder) = (Home::new(), scratch_folder());
    let mut server = Server::start(start(&home).data_dir(folder.path())).await;
    let old = home.config().replace(server.api_key(), "old");
    home.set_config(&old);
    server.kill9();
    std::fs::remove_dir_all(folder.path()).expect("the data folder");
    server.restart().await;
    assert!(
        home.config().contains(server.api_key()),
        "{}",
        home.config()
    );
}
