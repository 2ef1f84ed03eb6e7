//! A server that must not use a database or a data folder exits at once and says why.

use std::time::Duration;

use rstest::rstest;
use sluice_testkit::{Api, Backend, Postgres, Server};

use crate::support::own_server;

const AT_ONCE: Duration = Duration::from_secs(2);

const KEY: &str = "0101010101010101010101010101010101010101010101010101010101010101";
const OTHER_KEY: &str = "0202020202020202020202020202020202020202020202020202020202020202";

#[track_caller]
fn assert_says((took, log): &(Duration, String), words: &str) {
    assert!(log.contains(words), "{log}");
    assert!(*took < AT_ONCE, "{took:?}: {log}");
}

#[rstest]
#[tokio::test]
async fn a_second_server_on_the_same_folder_exits(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let first = Server::start(own_server().on(backend)).await;
    let options = own_server().on(backend).data_dir(first.data_dir());
    let second = Server::start_refused(options).await;
    assert_says(&second, "is in use by another server");
}

#[rstest]
#[tokio::test]
async fn a_server_with_another_master_key_exits_and_changes_nothing(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let database = own_server().on(backend);
    let options = |key| {
        let options = database.clone().data_dir(folder.path());
        options.env("SLUICE_MASTER_KEY", key)
    };
    let mut server = Server::start(options(KEY)).await;
    let key = server.api_key().to_owned();
    server.terminate().await;
    let refused = Server::start_refused(options(OTHER_KEY)).await;
    assert_says(&refused, "is not the one of this database");

    let server = Server::start(options(KEY)).await;
    let first_user = Api::new(server.url(), &key).get("/users/me").await;
    assert_eq!(first_user.status, 200);
}

#[tokio::test]
async fn a_server_without_the_master_key_of_its_database_makes_no_new_one() {
    let url = Postgres::database();
    let mut server = Server::start(own_server().postgres(&url)).await;
    server.terminate().await;
    let folder = tempfile::tempdir().expect("a folder");
    let options = || own_server().postgres(&url).data_dir(folder.path());
    let refused = Server::start_refused(options()).await;
    assert_says(&refused, "the master key of this database is missing");
    let key_file = folder.path().join("master.key");
    assert!(!key_file.exists());

    std::fs::copy(server.data_dir().join("master.key"), key_file).expect("a copy");
    Server::start(options()).await;
}
