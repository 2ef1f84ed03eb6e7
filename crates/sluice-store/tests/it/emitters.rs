//! Lists of sources and workflows that are filtered, and how they fare.

use rstest::rstest;
use sluice_model::{Cursor, EmitterId};
use sluice_store::{
    Conn, Page, Result,
    activity::{self, Counts},
    emitters::{self, EmitterActivity, EmitterFilter, EmitterState},
    sources::{self, Phase, Source},
    workflows::{self, Workflow},
};

use crate::support::{Db, TestStore, source, source_id, user_id, workflow, workflow_id};

const FAILING: EmitterState = EmitterState::Failing { since: 10 };

fn count(c: &mut dyn Conn, emitter: &EmitterId, hour: i64, events: u64, errors: u64) -> Result<()> {
    let counts = Counts {
        events,
        errors,
        ..Counts::default()
    };
    activity::add(c, &user_id("a"), emitter, hour, counts)
}

/// Sources and workflows of the same names: an active one, an inactive one, a failing one that is inactive too, and one that
/// failed long ago.
fn furnish(c: &mut dyn Conn) -> Result<()> {
    let a = user_id("a");
    for (at, (tail, name, active)) in (1..).zip([
        ("one", "Orders of MÜNCHEN 100%", true),
        ("two", "Orders_late", false),
        ("three", "Invoices", false),
        ("four", "Old invoices", true),
    ]) {
        sources::insert(
            c,
            &Source {
                name: name.to_owned(),
                active,
                ..source(tail, &a, at)
            },
        )?;
        workflows::insert(
            c,
            &Workflow {
                name: name.to_owned(),
                active,
                ..workflow(tail, &a, at)
            },
        )?;
    }
    sources::insert(c, &source("foreign", &user_id("b"), 9))?;
    workflows::insert(c, &workflow("foreign", &user_id("b"), 9))?;
    let unborn = Source {
        phase: Phase::Creating,
        ..source("unborn", &a, 9)
    };
    sources::insert(c, &unborn)?;
    for (tail, hour, events, errors) in [
        ("one", 10, 5, 0),
        ("one", 11, 2, 0),
        ("one", 9, 100, 0),
        ("three", 10, 1, 2),
        ("three", 12, 0, 1),
        ("four", 9, 0, 9),
    ] {
        count(c, &source_id(tail), hour, events, errors)?;
        count(c, &workflow_id(tail), hour, events, errors)?;
    }
    count(c, &source_id("foreign"), 12, 7, 7)?;
    count(c, &workflow_id("foreign"), 12, 7, 7)
}

fn everything() -> Page {
    Page {
        limit: 100,
        after: None,
        before: None,
    }
}

/// The tails of ids; sources and workflows must agree.
fn found(c: &mut dyn Conn, filter: &EmitterFilter, page: &Page) -> Result<Vec<String>> {
    let a = user_id("a");
    let sources = sources::list(c, &a, filter, page)?;
    let workflows = workflows::page(c, &a, filter, page)?;
    let sources = sources.iter().map(|row| row.id.as_str()[3..].to_owned());
    let workflows = workflows.iter().map(|row| row.id.as_str()[2..].to_owned());
    let (sources, workflows): (Vec<_>, Vec<_>) = (sources.collect(), workflows.collect());
    assert_eq!(sources, workflows, "{filter:?}");
    Ok(sources)
}

#[rstest]
fn lists_are_filtered_by_text_and_state(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        furnish(c)?;
        let check = |c: &mut dyn Conn, text: Option<&str>, state, expected: &[&str]| {
            let filter = EmitterFilter::new(text, state);
            assert_eq!(found(c, &filter, &everything())?, expected, "{filter:?}");
            let count = expected.len() as u64;
            assert_eq!(sources::count(c, &user_id("a"), &filter)?, count);
            assert_eq!(workflows::count(c, &user_id("a"), &filter)?, count);
            Result::Ok(())
        };
        check(c, None, None, &["four", "three", "two", "one"])?;
        check(c, None, Some(EmitterState::Active), &["four", "one"])?;
        check(c, None, Some(EmitterState::Inactive), &["three", "two"])?;
        check(c, None, Some(FAILING), &["three"])?;
        let long_ago = EmitterState::Failing { since: 0 };
        check(c, None, Some(long_ago), &["four", "three"])?;
        // In the name or in the slug, which has the tail.
        check(c, Some("ORDERS"), None, &["two", "one"])?;
        check(c, Some("InVoiceS"), None, &["four", "three"])?;
        check(c, Some("-two"), None, &["two"])?;
        // Letters of ASCII only, and nothing has a special meaning.
        check(c, Some("mÜnchen"), None, &["one"])?;
        check(c, Some("münchen"), None, &[])?;
        check(c, Some("0%"), None, &["one"])?;
        check(c, Some("s_l"), None, &["two"])?;
        check(c, Some("s%l"), None, &[])?;
        check(c, Some("orders"), Some(EmitterState::Active), &["one"])?;
        check(c, Some("invoices"), Some(FAILING), &["three"])?;
        check(c, Some("orders"), Some(FAILING), &[])
    })
    .unwrap();
}

#[rstest]
fn a_page_of_a_filtered_list_is_full_while_there_is_more(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        for at in 1..=40 {
            let tail = format!("s{at}");
            let active = at % 4 == 0;
            sources::insert(
                c,
                &Source {
                    active,
                    ..source(&tail, &a, at)
                },
            )?;
            workflows::insert(
                c,
                &Workflow {
                    active,
                    ..workflow(&tail, &a, at)
                },
            )?;
        }
        let filter = EmitterFilter::new(Some("s"), Some(EmitterState::Active));
        let mut pages = Vec::new();
        let mut page = Page {
            limit: 3,
            ..everything()
        };
        loop {
            let rows = sources::list(c, &a, &filter, &page)?;
            let Some(last) = rows.last() else { break };
            page.after = Some(Cursor {
                at_ms: last.created_at,
                id: last.id.as_str().to_owned(),
            });
            pages.push(rows.iter().map(|row| row.created_at).collect::<Vec<_>>());
        }
        assert_eq!(
            pages,
            [vec![40, 36, 32], vec![28, 24, 20], vec![16, 12, 8], vec![4]]
        );
        let before = Page {
            limit: 2,
            before: Some(Cursor {
                at_ms: 24,
                id: "x".to_owned(),
            }),
            after: None,
        };
        assert_eq!(found(c, &filter, &before)?, ["s32", "s28"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn standings_are_sums_since_an_hour_of_the_users_own(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        furnish(c)?;
        let expected = |of: fn(&str) -> EmitterId| {
            let standing = |tail, events, errors| EmitterActivity {
                id: of(tail),
                events,
                errors,
            };
            [standing("one", 7, 0), standing("three", 1, 3)]
        };
        let a = user_id("a");
        let mut sources = emitters::sources(c, &a, 10)?;
        sources.sort_by_key(|standing| standing.id.clone());
        assert_eq!(sources, expected(|tail| source_id(tail).into()));
        let mut workflows = emitters::workflows(c, &a, 10)?;
        workflows.sort_by_key(|standing| standing.id.clone());
        assert_eq!(workflows, expected(|tail| workflow_id(tail).into()));
        assert_eq!(emitters::sources(c, &user_id("x"), 0)?, []);
        Ok(())
    })
    .unwrap();
}
