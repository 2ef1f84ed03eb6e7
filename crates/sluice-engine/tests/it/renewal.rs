//! Tokens of an account that two servers need at the same time.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Map, Value, json};
use sluice_engine::process::credentials::{
    Credentials, GrantStatus, Grants, StoredCredentials, Tokens,
};
use sluice_infra::{Infra, testing};
use sluice_model::{AccountId, AppAuth, AppId, ClientAuthentication, OauthSettings, PropDef};
use sluice_store::{
    accounts::{self, Account, Health},
    apps::{self, App, Origin},
};
use sluice_testkit::receiver::{Answer, Receiver};

use crate::fixture::user_id;

/// Longer than the other server takes to find that a renewal is in progress.
const SLOW: Duration = Duration::from_millis(300);

fn app(token_url: String) -> App {
    App {
        id: AppId::parse("app_a").unwrap(),
        slug: "tracker".to_owned(),
        name: "Tracker".to_owned(),
        description: None,
        auth: AppAuth::Oauth(Box::new(OauthSettings {
            authorization_url: token_url.clone(),
            token_url,
            revocation_url: None,
            userinfo_url: None,
            uid_field: "id".to_owned(),
            client_id: Some("client".to_owned()),
            scopes: Vec::new(),
            scope_separator: " ".to_owned(),
            authorize_params: BTreeMap::new(),
            token_params: BTreeMap::new(),
            client_authentication: ClientAuthentication::Basic,
            pkce: false,
            fields: Vec::new(),
            developer_url: None,
        })),
        secret_sealed: None,
        origin: Origin::Operator,
        created_at: 1,
        updated_at: 1,
    }
}

/// An account whose access token has expired.
fn account(infra: &Infra) -> Account {
    let tokens = StoredCredentials::Oauth(Tokens {
        access_token: "old".to_owned(),
        refresh_token: Some("refresh".to_owned()),
        uid: None,
        issued_at: 1,
        expires_at: Some(2),
        extra: BTreeMap::new(),
    });
    let sealed = tokens.seal(&infra.vault, &mut infra.ids.rng(), 1);
    Account {
        id: AccountId::parse("apn_a").unwrap(),
        user_id: user_id(),
        app_id: AppId::parse("app_a").unwrap(),
        name: "Account".to_owned(),
        credentials_sealed: sealed.credentials_sealed,
        expires_at: sealed.expires_at,
        health: Health::Healthy,
        version: 1,
        created_at: 1,
        updated_at: 1,
    }
}

/// The credentials that a process of a server gets.
async fn granted(infra: &Infra, credentials: &Credentials) -> Map<String, Value> {
    let prop = PropDef::from_declaration("app", json!({ "type": "app", "app": "tracker" }));
    let configured = json!({ "app": { "authProvisionId": "apn_a" } });
    let configured = configured.as_object().unwrap();
    let mut grants = Grants::of(credentials, &user_id(), &[prop.unwrap()], configured);
    credentials.refresh_all(&grants.entries()).await.unwrap();
    match grants.check(infra.now_ms()) {
        GrantStatus::Changed(auths) => auths,
        GrantStatus::Rejected(reason) => panic!("{reason}"),
        GrantStatus::Current | GrantStatus::Unknown => panic!("nothing was granted"),
    }
}

#[tokio::test]
async fn two_servers_on_one_database_renew_once() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let provider = Receiver::start(|_| {
        let tokens = json!({ "access_token": "new", "refresh_token": "next", "expires_in": 3600 });
        Answer::status(200)
            .header("content-type", "application/json")
            .body(tokens.to_string())
            .after(SLOW)
    });
    let folder = tempfile::tempdir().unwrap();
    let (infra, _) = testing::infra(folder.path());
    let (app, account) = (app(provider.url("/token")), account(&infra));
    let stored = infra.store.write(move |c| {
        apps::upsert(c, &app)?;
        accounts::insert(c, &account)
    });
    stored.await.unwrap();

    let servers = [(); 2].map(|()| Credentials::new(infra.clone()).unwrap());
    let (first, second) = tokio::join!(granted(&infra, &servers[0]), granted(&infra, &servers[1]));
    assert_eq!(first, second);
    assert_eq!(first["app"]["oauth_access_token"], "new", "{first:?}");
    assert_eq!(provider.count(), 1);
}
