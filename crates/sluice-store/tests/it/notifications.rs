//! The state behind notifications: failing subjects, settings, and messages among the sends.

use std::{collections::BTreeSet, thread};

use rstest::rstest;
use sluice_model::{EmitId, IdGen};
use sluice_store::{
    BatchLimit, Conn, Result,
    notification_settings::{self, NotificationSettings, NotificationWebhook, Pace, Rules, Tests},
    orphans::{self, OwnedTable},
    query_one,
    sends::{
        self, SendKind, SendRow, SendState, notifications,
        outbox::{self, SendQueue},
    },
    sources,
    subject_health::{self, Streak, StreakChange, SubjectHealth},
    transfer, users,
    webhooks::{self, PreviousSecret},
    workflows,
};

use crate::support::{
    Db, TestStore, source, source_id, user, user_id, webhook, workflow, workflow_id,
};

fn change(failures: u64, since: i64, recovered_at: Option<i64>) -> StreakChange {
    StreakChange {
        failures,
        failing_since: since,
        recovered_at,
        error: recovered_at.is_none().then(|| "oops".to_owned()),
    }
}

fn record(c: &mut dyn Conn, subject: &str, change: &StreakChange, now: i64) -> Result<()> {
    subject_health::record(c, &user_id("a"), subject, change, now)
}

fn due(c: &mut dyn Conn, now: i64) -> Result<Vec<(String, Option<i64>)>> {
    let due = subject_health::take_due(c, &user_id("a"), now, 10)?;
    Ok(due.into_iter().map(|it| (it.id, it.recovered_at)).collect())
}

#[rstest]
fn a_streak_is_kept_until_it_ends(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        assert_eq!(subject_health::streak(c, "dc_a")?, None);
        record(c, "dc_a", &change(1, 10, None), 10)?;
        record(c, "dc_a", &change(4, 10, None), 20)?;
        let expected = Streak {
            failures: 4,
            failing_since: 10,
        };
        assert_eq!(subject_health::streak(c, "dc_a")?, Some(expected));
        record(c, "dc_a", &change(5, 10, Some(30)), 30)?;
        assert_eq!(subject_health::streak(c, "dc_a")?, None);
        // The error of the streak stays for the message.
        assert_eq!(subject_health::error(c, "dc_a")?.as_deref(), Some("oops"));
        let row = SubjectHealth {
            id: "dc_a".to_owned(),
            failures: 5,
            failing_since: 10,
            recovered_at: Some(30),
            reported: false,
            reported_at: None,
        };
        assert_eq!(subject_health::take_due(c, &user_id("a"), 30, 10)?, [row]);
        sluice_store::ping(c)
    })
    .unwrap();
}

#[rstest]
fn a_subject_that_waits_is_not_due_because_it_changes(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        record(c, "dc_a", &change(3, 10, None), 10)?;
        record(c, "dc_b", &change(3, 5, None), 12)?;
        assert_eq!(subject_health::users_due(c, 9, 10)?, []);
        assert_eq!(subject_health::users_due(c, 10, 10)?, [user_id("a")]);
        let both = [("dc_b".to_owned(), None), ("dc_a".to_owned(), None)];
        assert_eq!(due(c, 12)?, both);
        subject_health::report(c, &["dc_a"], true, 12, 100)?;
        subject_health::settle(c, &["dc_b"])?;
        assert_eq!(due(c, 111)?, []);
        record(c, "dc_a", &change(3, 10, Some(20)), 20)?;
        record(c, "dc_b", &change(3, 5, Some(20)), 20)?;
        assert_eq!(due(c, 20)?, [("dc_b".to_owned(), Some(20))]);
        subject_health::remove(c, &["dc_b"])?;
        subject_health::wait_for_quiet(c, &["dc_a"], 20, 200)?;
        assert_eq!(due(c, 211)?, []);
        assert_eq!(due(c, 212)?, [("dc_a".to_owned(), Some(20))]);
        // As after the clock was set back.
        subject_health::wait_for_quiet(c, &["dc_a"], 2, 200)?;
        assert_eq!(due(c, 201)?, []);
        subject_health::clamp(c, 2)?;
        assert_eq!(due(c, 2)?.len(), 1);
        subject_health::postpone(c, &user_id("a"), 2, 50)?;
        assert_eq!(due(c, 49)?, []);
        assert_eq!(due(c, 50)?.len(), 1);
        subject_health::settle_user(c, &user_id("a"), 50)?;
        assert_eq!(due(c, i64::MAX)?, []);
        subject_health::make_due(c, &user_id("a"), 60)?;
        assert_eq!(due(c, 60)?.len(), 1);
        sluice_store::ping(c)
    })
    .unwrap();
}

#[rstest]
fn a_webhook_has_a_row_from_its_first_failure_to_the_next_success(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let mut row = webhook("w", &user_id("a"), 5);
        webhooks::insert(c, &row)?;
        webhooks::delivered(c, &row.id, 6)?;
        assert_eq!(due(c, i64::MAX)?, []);
        webhooks::failed(c, &row.id, 10, "first")?;
        webhooks::failed(c, &row.id, 20, "second")?;
        assert_eq!(due(c, 10)?, [("wh_w".to_owned(), None)]);
        assert_eq!(subject_health::error(c, "wh_w")?.as_deref(), Some("second"));
        subject_health::wait_for_failing(c, &["wh_w"], 20, 60)?;
        assert_eq!(due(c, 69)?, []);
        assert_eq!(due(c, 70)?.len(), 1);
        webhooks::delivered(c, &row.id, 30)?;
        assert_eq!(due(c, 70)?, [("wh_w".to_owned(), Some(30))]);
        webhooks::failed(c, &row.id, 40, "third")?;
        assert_eq!(due(c, 70)?, [("wh_w".to_owned(), None)]);
        row.name = Some("another".to_owned());
        webhooks::update(c, &row)?;
        assert_eq!(due(c, 70)?.len(), 1);
        row.active = false;
        webhooks::update(c, &row)?;
        assert_eq!(due(c, i64::MAX)?, []);
        webhooks::failed(c, &row.id, 50, "fourth")?;
        assert_eq!(due(c, 50)?.len(), 1);
        webhooks::remove(c, &row.user_id, &row.id)?;
        assert_eq!(due(c, i64::MAX)?, []);
        // It was removed while an attempt was under way.
        webhooks::failed(c, &row.id, 60, "fifth")?;
        assert_eq!(due(c, i64::MAX)?, []);
        sluice_store::ping(c)
    })
    .unwrap();
}

/// While an owner records an outcome, the job does not wait for it.
#[test]
fn a_subject_that_is_being_changed_is_left_out_on_postgres() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    t.write(|c| record(c, "dc_a", &change(3, 10, None), 10))
        .unwrap();
    let location = t.place.location();
    let found = t
        .write(move |c| {
            record(c, "dc_a", &change(3, 10, Some(20)), 20)?;
            sluice_store::ping(c)?;
            // Writes of one server are in a row, so this is another one.
            let other = thread::spawn(move || transfer::update(&location, |c| due(c, 20)));
            other.join().expect("it ends")
        })
        .unwrap();
    assert_eq!(found, []);
    let found = t.write(|c| due(c, 20)).unwrap();
    assert_eq!(found, [("dc_a".to_owned(), Some(20))]);
}

#[rstest]
fn settings_are_those_that_were_saved(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = user_id("a");
        let default = NotificationSettings::default();
        assert_eq!(notification_settings::get(c, &user)?, default);
        assert_eq!(notification_settings::hold(c, &user)?, default);
        assert_eq!(notification_settings::hold(c, &user)?, default);
        let settings = NotificationSettings {
            mail: Some(false),
            mail_to: Some("ops@example.com".to_owned()),
            webhook: Some(NotificationWebhook {
                url: "https://example.com".to_owned(),
                secret: "sealed".to_owned(),
                previous: Some(PreviousSecret {
                    secret: "old".to_owned(),
                    until: 7,
                }),
            }),
            rules: Rules {
                sources: false,
                failures: 9,
                ..Rules::default()
            },
        };
        notification_settings::save(c, &user, &settings)?;
        assert_eq!(notification_settings::get(c, &user)?, settings);
        assert_eq!(notification_settings::pace(c, &user)?, Pace::default());
        let pace = Pace {
            next_message_at: 5,
            pause_ms: 3,
        };
        notification_settings::set_pace(c, &user, pace)?;
        assert_eq!(notification_settings::pace(c, &user)?, pace);
        let tests = Tests { count: 2, since: 8 };
        notification_settings::set_tests(c, &user, tests)?;
        assert_eq!(notification_settings::tests(c, &user)?, tests);
        assert_eq!(notification_settings::hold(c, &user)?, settings);
        sluice_store::ping(c)
    })
    .unwrap();
}

fn message(ids: &mut IdGen, kind: SendKind, state: SendState, updated_at: i64) -> SendRow {
    SendRow {
        id: EmitId::generate(ids, 1),
        step: None,
        user_id: user_id("a"),
        kind,
        state,
        due_at: (state == SendState::Pending).then_some(0),
        tries: 1,
        result: Some("250".to_owned()),
        created_at: 1,
        updated_at,
        payload: "{}".to_owned(),
        trace: None,
    }
}

#[rstest]
fn messages_are_sent_from_queues_of_their_own_and_removed_when_they_are_old(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    use SendKind::{NotificationEmail, NotificationWebhook};
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let mut ids = IdGen::new(1);
        for row in [
            message(&mut ids, NotificationEmail, SendState::Sent, 10),
            message(&mut ids, NotificationEmail, SendState::Failed, 20),
            message(&mut ids, NotificationWebhook, SendState::Pending, 5),
        ] {
            sends::insert(c, &row)?;
        }
        let queue = SendQueue {
            user_id: user_id("a"),
            kind: NotificationWebhook,
        };
        let all = BatchLimit {
            rows: 10,
            bytes: 1_000,
        };
        let due = outbox::due(c, &queue, 1, &BTreeSet::new(), all)?;
        assert_eq!(due.len(), 1);
        assert_eq!(due[0].step, None);
        let last = |c: &mut dyn Conn, kind| notifications::last(c, &user_id("a"), kind);
        assert_eq!(
            last(c, NotificationEmail)?.unwrap().state,
            SendState::Failed
        );
        // Other sweeps leave them alone.
        let orphans = orphans::find(c, OwnedTable::Sends, None, 10)?;
        assert!(orphans.owners.is_empty(), "{orphans:?}");
        assert_eq!(notifications::prune(c, 20, 10)?, 1);
        assert_eq!(notifications::prune(c, 100, 10)?, 1);
        assert_eq!(last(c, NotificationEmail)?, None);
        assert_eq!(last(c, NotificationWebhook)?.unwrap().tries, 1);
        sluice_store::ping(c)
    })
    .unwrap();
}

#[rstest]
fn nothing_is_left_of_what_is_removed(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let owner = user("a");
        users::insert(c, &owner, "fingerprint")?;
        sources::insert(c, &source("a", &owner.id, 1))?;
        workflows::insert(c, &workflow("a", &owner.id, 1))?;
        for subject in ["dc_a", "p_a", "wh_gone"] {
            record(c, subject, &change(1, 1, None), 1)?;
        }
        sources::remove(c, &source_id("a"))?;
        workflows::remove(c, &owner.id, &workflow_id("a"))?;
        let subjects: i64 = query_one(c, "SELECT COUNT(*) FROM subject_health", &[])?;
        assert_eq!(subjects, 1);
        notification_settings::hold(c, &owner.id)?;
        let mut ids = IdGen::new(1);
        let row = message(&mut ids, SendKind::NotificationEmail, SendState::Pending, 1);
        sends::insert(c, &row)?;
        users::remove(c, &owner.id)?;
        for table in ["subject_health", "notification_settings", "sends"] {
            let left: i64 = query_one(c, &format!("SELECT COUNT(*) FROM {table}"), &[])?;
            assert_eq!(left, 0, "{table}");
        }
        sluice_store::ping(c)
    })
    .unwrap();
}
