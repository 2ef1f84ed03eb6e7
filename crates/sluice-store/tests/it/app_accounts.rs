//! Apps, users' accounts with them, and accounts that are being connected.

use std::collections::BTreeMap;

use rstest::rstest;
use sluice_model::{
    AccountId, AppAuth, AppId, ConnectionError, ConnectionErrorCode, ConnectionId, KeyField,
};
use sluice_store::{
    Conn, Page,
    accounts::{self, Account, Health, Renewal},
    apps::{self, App, Origin},
    connections::{self, Connection, Stage},
};

use crate::support::{Db, TestStore, user_id};

const EVERYTHING: Page = Page {
    limit: 100,
    after: None,
    before: None,
};

fn app_id(tail: &str) -> AppId {
    AppId::parse(&format!("app_{tail}")).unwrap()
}

fn account_id(tail: &str) -> AccountId {
    AccountId::parse(&format!("apn_{tail}")).unwrap()
}

fn app(slug: &str, created_at: i64) -> App {
    App {
        id: app_id(&slug.replace('_', "")),
        slug: slug.to_owned(),
        name: format!("The {slug}"),
        description: None,
        auth: AppAuth::None,
        secret_sealed: None,
        origin: Origin::Operator,
        created_at,
        updated_at: created_at,
    }
}

fn account(tail: &str, owner: &str, created_at: i64) -> Account {
    Account {
        id: account_id(tail),
        user_id: user_id(owner),
        app_id: app_id("github"),
        name: format!("Account {tail}"),
        credentials_sealed: "sealed".to_owned(),
        expires_at: None,
        health: Health::Healthy,
        version: 1,
        created_at,
        updated_at: created_at,
    }
}

fn renewal(credentials: &str, at: i64) -> Renewal {
    Renewal {
        credentials_sealed: credentials.to_owned(),
        expires_at: Some(at + 10),
        at,
    }
}

#[rstest]
fn an_app_is_replaced_by_its_slug_and_keeps_its_id_and_age(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    let field = KeyField {
        name: "api_key".to_owned(),
        label: None,
        description: None,
        default: None,
        optional: false,
        kind: Some("password".to_owned()),
    };
    let changed = App {
        id: app_id("other"),
        name: "New".to_owned(),
        description: Some("d".to_owned()),
        auth: AppAuth::Keys {
            fields: vec![field],
        },
        secret_sealed: Some("s".to_owned()),
        ..app("github", 9)
    };
    let again = changed.clone();
    t.write(move |c| {
        apps::upsert(c, &app("github", 1))?;
        apps::upsert(c, &again)
    })
    .unwrap();
    t.read(move |c| {
        let expected = App {
            id: app_id("github"),
            created_at: 1,
            ..changed
        };
        let found = apps::by_slug(c, "github")?;
        assert_eq!(found.as_ref(), Some(&expected));
        assert_eq!(apps::get(c, &app_id("github"))?, found);
        assert_eq!(apps::by_slug_or_id(c, "app_github")?, found);
        assert_eq!(apps::by_slug_or_id(c, "nothing")?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn accounts_are_seen_by_their_user_alone(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        accounts::insert(c, &account("one", "a", 1))?;
        accounts::insert(c, &account("two", "a", 2))?;
        accounts::insert(c, &account("three", "b", 3))
    })
    .unwrap();
    let (a, b) = (user_id("a"), user_id("b"));
    t.write(move |c| {
        let mine = accounts::list(c, &a, None, &EVERYTHING)?;
        assert_eq!(mine, [account("two", "a", 2), account("one", "a", 1)]);
        assert_eq!(accounts::count(c, &a, Some(&app_id("github")))?, 2);
        assert_eq!(accounts::count(c, &a, Some(&app_id("other")))?, 0);
        assert_eq!(accounts::get(c, &b, &account_id("one"))?, None);
        assert!(!accounts::rename(c, &b, &account_id("one"), "x", 9)?);
        assert!(!accounts::replace(
            c,
            &b,
            &account_id("one"),
            &renewal("x", 9)
        )?);
        assert!(!accounts::remove(c, &b, &account_id("one"))?);
        assert!(accounts::exist_for(c, &app_id("github"))?);
        assert!(!accounts::exist_for(c, &app_id("other"))?);
        assert!(accounts::remove(c, &a, &account_id("one"))?);
        assert_eq!(accounts::get(c, &a, &account_id("one"))?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn one_of_several_renews_and_only_on_top_of_what_it_read(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| accounts::insert(c, &account("x", "a", 1)))
        .unwrap();
    t.write(|c| {
        let id = account_id("x");
        assert!(accounts::claim_renewal(c, &id, 1, 100, 200)?);
        assert!(!accounts::claim_renewal(c, &id, 1, 150, 250)?);
        // The claim of one that died runs out.
        assert!(accounts::claim_renewal(c, &id, 1, 200, 300)?);
        assert!(accounts::renew(c, &id, 1, &renewal("new", 210))?);
        assert!(!accounts::renew(c, &id, 1, &renewal("late", 220))?);
        assert!(!accounts::mark_dead(c, &id, 1, "late", 220)?);
        assert!(!accounts::claim_renewal(c, &id, 1, 900, 999)?);
        let renewed = accounts::get(c, &user_id("a"), &id)?.unwrap();
        assert_eq!(renewed.credentials_sealed, "new");
        assert_eq!((renewed.version, renewed.expires_at), (2, Some(220)));
        assert!(accounts::claim_renewal(c, &id, 2, 230, 300)?);
        accounts::postpone_renewal(c, &id, 2, 400)?;
        assert!(!accounts::claim_renewal(c, &id, 2, 350, 500)?);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn new_credentials_heal_a_dead_account(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (id, owner) = (account_id("x"), user_id("a"));
        accounts::insert(c, &account("x", "a", 1))?;
        assert!(accounts::mark_dead(c, &id, 1, "revoked", 5)?);
        let dead = accounts::get(c, &owner, &id)?.unwrap();
        assert_eq!(dead.health, Health::Dead("revoked".to_owned()));
        assert!(accounts::replace(c, &owner, &id, &renewal("new", 6))?);
        let healed = accounts::get(c, &owner, &id)?.unwrap();
        assert_eq!((healed.health, healed.version), (Health::Healthy, 3));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_state_is_good_once_and_in_time(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let connection = |tail: &str| Connection {
        id: ConnectionId::parse(&format!("con_{tail}")).unwrap(),
        user_id: user_id("a"),
        app_id: app_id("github"),
        account_id: None,
        name: Some("n".to_owned()),
        fields: BTreeMap::from([("shop".to_owned(), "s".to_owned())]),
        verifier_sealed: None,
        redirect_to: None,
        stage: Stage::Pending,
        error: None,
        created_at: 10,
        expires_at: 100,
    };
    t.write(move |c| {
        let (owner, stranger) = (user_id("a"), user_id("b"));
        for tail in ["one", "two"] {
            let row = connection(tail);
            connections::insert(c, &row)?;
            // Before it is authorized, no state finds it.
            assert_eq!(connections::take(c, tail, 50)?, None);
            let authorize = |c: &mut dyn Conn, user, now| {
                connections::authorize(c, (user, &row.id), tail, Some("v"), now)
            };
            assert!(!authorize(c, &stranger, 50)? && !authorize(c, &owner, 100)?);
            assert!(authorize(c, &owner, 50)?);
        }
        assert_eq!(connections::take(c, "forged", 50)?, None);
        assert_eq!(connections::take(c, "two", 100)?, None);
        let taken = connections::take(c, "one", 50)?.unwrap();
        assert_eq!(taken.stage, Stage::Returned);
        assert_eq!(taken.verifier_sealed.as_deref(), Some("v"));
        let again = connections::authorize(c, (&owner, &taken.id), "again", None, 50)?;
        assert!(!again);
        assert_eq!(connections::take(c, "one", 50)?, None);
        connections::finish(c, &taken.id, Ok(&account_id("x")))?;
        let done = connections::get(c, &owner, &taken.id)?.unwrap();
        assert_eq!(done.stage, Stage::Connected);
        assert_eq!(done.account_id, Some(account_id("x")));
        assert_eq!(connections::get(c, &stranger, &taken.id)?, None);
        let error = ConnectionError::new(ConnectionErrorCode::AccessDenied, "no");
        connections::finish(c, &connection("two").id, Err(&error))?;
        let failed = connections::get(c, &owner, &connection("two").id)?.unwrap();
        assert_eq!((failed.stage, failed.error), (Stage::Failed, Some(error)));
        assert_eq!(connections::remove_older_than(c, 10)?, 0);
        assert_eq!(connections::remove_older_than(c, 11)?, 2);
        Ok(())
    })
    .unwrap();
}
