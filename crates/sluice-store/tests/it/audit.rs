//! The audit log: entries, filters, pages and removal.

use rstest::rstest;
use sluice_model::{ApiKeyId, AuditEntryId, Cursor, Scope};
use sluice_store::{
    Page,
    api_keys::{self, NamedKey},
    audit::{
        self, Action, AuditActor, AuditEntry, AuditFilter, AuditTarget, Credential, TargetKind,
    },
    users,
};

use crate::support::{Db, TestStore, user, user_id};

const ALL: Page = Page {
    limit: 100,
    after: None,
    before: None,
};

fn entry(tail: &str, user: &str, action: Action, at: i64) -> AuditEntry {
    AuditEntry {
        id: AuditEntryId::parse(&format!("aud_{tail}")).unwrap(),
        user_id: Some(user_id(user)),
        actor: AuditActor {
            id: Some(user_id(user)),
            name: format!("Name of {user}"),
            credential: Credential::Key,
            credential_id: None,
            address: Some("203.0.113.7".to_owned()),
        },
        action,
        target: AuditTarget {
            kind: TargetKind::Source,
            id: format!("dc_{tail}"),
            name: format!("Orders {tail}"),
        },
        details: "{}".to_owned(),
        created_at: at,
    }
}

/// Five changes of two accounts, and a failed sign-in.
fn filled(db: Db) -> Option<TestStore> {
    let t = TestStore::new(db)?;
    t.write(|c| {
        audit::insert(c, &entry("a1", "a", Action::SourceCreate, 10))?;
        audit::insert(c, &entry("a2", "a", Action::SourceUpdate, 20))?;
        audit::insert(c, &entry("a3", "a", Action::SourceUpdate, 20))?;
        audit::insert(c, &entry("a4", "a", Action::WebhookRotateSecret, 30))?;
        audit::insert(c, &entry("b1", "b", Action::SourceDelete, 25))?;
        let mut failed = entry("f1", "x", Action::SessionSignInFailed, 40);
        failed.user_id = None;
        failed.actor = AuditActor {
            id: None,
            name: String::new(),
            credential: Credential::None,
            credential_id: None,
            address: Some("2001:db8::1".to_owned()),
        };
        audit::insert(c, &failed)
    })
    .unwrap();
    Some(t)
}

fn of_a() -> AuditFilter {
    AuditFilter {
        user: Some(user_id("a")),
        ..AuditFilter::default()
    }
}

fn found(t: &TestStore, filter: &AuditFilter, page: &Page) -> Vec<String> {
    let (filter, page) = (filter.clone(), page.clone());
    let (rows, count) = t
        .read(move |c| Ok((audit::page(c, &filter, &page)?, audit::count(c, &filter)?)))
        .unwrap();
    assert!(count >= rows.len() as u64);
    let tail = |row: &AuditEntry| row.id.as_str()["aud_".len()..].to_owned();
    rows.iter().map(tail).collect()
}

#[rstest]
fn an_entry_comes_back_as_it_went(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let mut named = entry("n", "a", Action::WorkflowDeploy, 7);
    named.actor.credential = Credential::NamedKey;
    named.actor.credential_id = Some("key_1".to_owned());
    named.details = r#"{"version":3}"#.to_owned();
    let mut server = entry("s", "a", Action::RegistryStarterSet, 5);
    server.actor.credential = Credential::Server;
    server.actor.address = None;
    let expected = [named.clone(), server.clone()];
    t.write(move |c| {
        audit::insert(c, &named)?;
        audit::insert(c, &server)
    })
    .unwrap();
    let rows = t.read(|c| audit::page(c, &of_a(), &ALL)).unwrap();
    assert_eq!(rows, expected);
}

#[rstest]
fn entries_are_listed_newest_first_for_an_account_or_for_all(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = filled(db) else { return };
    assert_eq!(found(&t, &of_a(), &ALL), ["a4", "a3", "a2", "a1"]);
    let all = AuditFilter::default();
    assert_eq!(found(&t, &all, &ALL), ["f1", "a4", "b1", "a3", "a2", "a1"]);
    assert_eq!(t.read(move |c| audit::count(c, &all)), Ok(6));
    let cursor = |at_ms, id: &str| {
        Some(Cursor {
            at_ms,
            id: format!("aud_{id}"),
        })
    };
    let older = Page {
        limit: 2,
        after: cursor(30, "a4"),
        before: None,
    };
    assert_eq!(found(&t, &of_a(), &older), ["a3", "a2"]);
    let newer = Page {
        limit: 2,
        after: None,
        before: cursor(10, "a1"),
    };
    assert_eq!(found(&t, &of_a(), &newer), ["a3", "a2"]);
}

#[rstest]
fn filters_select_entries_and_counts(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = filled(db) else { return };
    let text = |text: &str| Some(text.to_owned());
    let all = AuditFilter::default();
    let cases: [(AuditFilter, &[&str]); 11] = [
        (
            AuditFilter {
                action: text("source"),
                ..of_a()
            },
            &["a3", "a2", "a1"],
        ),
        (
            AuditFilter {
                action: text("source.update"),
                ..of_a()
            },
            &["a3", "a2"],
        ),
        (
            AuditFilter {
                action: text("ource"),
                ..of_a()
            },
            &[],
        ),
        (
            AuditFilter {
                actor: text("u_b"),
                ..all.clone()
            },
            &["b1"],
        ),
        (
            AuditFilter {
                actor: text("Name of b"),
                ..all.clone()
            },
            &["b1"],
        ),
        (
            AuditFilter {
                target: text("dc_a2"),
                ..of_a()
            },
            &["a2"],
        ),
        (
            AuditFilter {
                target: text("Orders a3"),
                ..of_a()
            },
            &["a3"],
        ),
        (
            AuditFilter {
                text: text("oRDERS B"),
                ..all.clone()
            },
            &["b1"],
        ),
        (
            AuditFilter {
                text: text("2001:DB8"),
                ..all.clone()
            },
            &["f1"],
        ),
        (
            AuditFilter {
                text: text("_"),
                action: text("source"),
                ..of_a()
            },
            &["a3", "a2", "a1"],
        ),
        (
            AuditFilter {
                since: Some(20),
                until: Some(25),
                ..all
            },
            &["b1", "a3", "a2"],
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(found(&t, &filter, &ALL), expected, "{filter:?}");
        let counted = filter.clone();
        let count = t.read(move |c| audit::count(c, &counted)).unwrap();
        assert_eq!(count, expected.len() as u64, "{filter:?}");
    }
}

#[rstest]
fn existing_accounts_keys_and_targets_are_found(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let key = NamedKey {
        id: ApiKeyId::parse("key_1").unwrap(),
        user_id: user_id("a"),
        name: "ci".to_owned(),
        scopes: [Scope::Read].into_iter().collect(),
        last_characters: "cdef".to_owned(),
        created_at: 1,
        expires_at: None,
        last_used_at: None,
        access: None,
    };
    let of_user = |tail: &str| {
        let mut entry = entry(tail, tail, Action::UserUpdate, 5);
        entry.target.kind = TargetKind::User;
        entry.target.id = user_id(tail).to_string();
        entry
    };
    let mut by_key = of_user("a");
    by_key.actor.credential_id = Some(key.id.to_string());
    let mut of_registry = entry("r", "a", Action::RegistryStarterSet, 5);
    of_registry.target.kind = TargetKind::Registry;
    let entries = [
        by_key,
        of_user("gone"),
        entry("s", "a", Action::SourceCreate, 5),
        of_registry,
    ];
    let wanted = entries.clone();
    let existing = t
        .write(move |c| {
            users::insert(c, &user("a"), "print")?;
            api_keys::insert(c, &key, "print-key")?;
            audit::look_up(c, &wanted)
        })
        .unwrap();
    let found = entries.each_ref().map(|entry| {
        let (account, key) = (existing.account(entry), existing.key(entry));
        (account, key, existing.target(entry))
    });
    let account = Some("name-a");
    assert_eq!(
        found,
        [
            (account, Some("ci"), Some(true)),
            (None, None, Some(false)),
            (account, None, Some(false)),
            (account, None, None),
        ]
    );
}

#[rstest]
fn the_oldest_entries_are_removed_in_batches(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = filled(db) else { return };
    assert_eq!(t.write(|c| audit::remove_older_than(c, 25, 2)), Ok(2));
    let all = AuditFilter::default();
    assert_eq!(found(&t, &all, &ALL), ["f1", "a4", "b1", "a3"]);
    assert_eq!(t.write(|c| audit::remove_older_than(c, 25, 2)), Ok(1));
    assert_eq!(t.write(|c| audit::remove_older_than(c, 25, 2)), Ok(0));
    assert_eq!(found(&t, &all, &ALL), ["f1", "a4", "b1"]);
}
