//! A key that is replaced while a server uses the database.

use std::path::Path;

use sluice_model::{SessionId, UserId};
use sluice_store::{
    MasterKey, Page, Store, StoreOptions,
    audit::{self, AuditFilter, Credential},
    sessions::{self, NewSession},
    users::Plan,
};

use super::*;

const MASTER_KEY: &str = "0101010101010101010101010101010101010101010101010101010101010101";
const OLD_KEY: &str = "0123456789abcdef0123456789abcdef";

fn user(name: &str, operator: bool) -> User {
    User {
        id: UserId::parse(&format!("u_{name}")).unwrap(),
        username: name.to_owned(),
        email: "a@example.com".to_owned(),
        plan: Plan::Free,
        operator,
        key_sealed: "sealed".to_owned(),
        created_at: 5,
    }
}

fn server(folder: &Path) -> Server {
    Server {
        location: Location::Sqlite(folder.join("sluice.db")),
        keys: KeysOf::new(MASTER_KEY, "the test").unwrap(),
    }
}

/// A store as a running server has it, with two users. One is an operator with [`OLD_KEY`] and a session.
async fn running(server: &Server) -> Store {
    let store = Store::open(StoreOptions::new(server.location.clone())).unwrap();
    let key = MasterKey::from_hex(MASTER_KEY).unwrap();
    let sealed = key.new_data_key(&mut Ids::from_entropy(Arc::new(SystemClock)).rng());
    let print = key.open(&sealed).unwrap().fingerprint(OLD_KEY);
    let session = NewSession {
        id: SessionId::parse("ses_a").unwrap(),
        token_fingerprint: "token".to_owned(),
        user_agent: String::new(),
        address: String::new(),
        created_at: 5,
        expires_at: i64::MAX,
    };
    let filled = store.write(move |c| {
        data_key::record(c, &sealed)?;
        users::insert(c, &user("ada", false), "other")?;
        users::insert(c, &user("root", true), &print)?;
        sessions::begin(c, &print, &session).map(drop)
    });
    filled.await.unwrap();
    store
}

#[tokio::test]
async fn the_key_of_a_running_server_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let store = running(&server).await;
    assert_eq!(server.find(Some("ada")).unwrap().user.username, "ada");
    assert!(server.find(Some("nobody")).is_err());
    let operator = server.find(None).unwrap();
    assert_eq!(operator.user.username, "root");
    let replaced = server.replace(&operator).unwrap();
    let Owner { user, vault } = operator;
    let print = vault.fingerprint(replaced.new.as_str());
    let found = store.read(move |c| users::by_fingerprint(c, &print)).await;
    let found = found.unwrap().unwrap();
    assert_eq!(found.id, user.id);
    let opened = vault.open(&found.key_sealed).unwrap();
    assert_eq!(opened, replaced.new.as_str().as_bytes());
    let session = store.read(|c| sessions::by_fingerprint(c, "token", 5));
    assert_eq!(session.await.unwrap(), None);
    let entries = store.read(|c| {
        let newest = Page {
            limit: 10,
            after: None,
            before: None,
        };
        audit::page(c, &AuditFilter::default(), &newest)
    });
    let entries = entries.await.unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].action, Action::UserRotateKey);
    assert_eq!(entries[0].actor.credential, Credential::Machine);
    assert!(!entries[0].actor.name.is_empty());
    assert_eq!(
        (&entries[0].user_id, entries[0].target.name.as_str()),
        (&Some(user.id), "root")
    );
}

#[tokio::test]
async fn only_profiles_with_the_old_key_get_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let _store = running(&server).await;
    let operator = server.find(None).unwrap();
    let replaced = server.replace(&operator).unwrap();
    let path = folder.path().join("config.toml");
    let mut config = Config::at(path.clone()).unwrap();
    for (name, api_key) in [("mine", OLD_KEY), ("other", "another")] {
        let url = format!("http://{name}");
        let api_key = api_key.to_owned();
        config.set(name, Profile { url, api_key });
    }
    let changed = replace_in_profiles(config, &operator.vault, &replaced).unwrap();
    assert_eq!(changed, ["mine"]);
    let config = Config::at(path).unwrap();
    let mine = config.profile("mine").unwrap();
    assert_eq!(
        (mine.url.as_str(), mine.api_key.as_str()),
        ("http://mine", replaced.new.as_str())
    );
    assert_eq!(config.profile("other").unwrap().api_key, "another");
}

#[tokio::test]
async fn another_master_key_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let _store = running(&server).await;
    server.find(None).unwrap();
    let other = Server {
        keys: KeysOf::new(&"2".repeat(64), "SLUICE_MASTER_KEY").unwrap(),
        ..server
    };
    let error = other.find(None).err().unwrap();
    let error = format!("{error:#}");
    assert!(error.contains("is not the one of this database"), "{error}");
}
