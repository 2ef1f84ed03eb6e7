//! Subscriptions: their rows, and their removal with emitters and listeners.

use rstest::rstest;
use sluice_model::{SubscriptionId, UserId};
use sluice_store::{
    Conn, Result,
    routes::Listener,
    sources,
    subscriptions::{self, Connection, Emitter, Subscription},
    webhooks,
};

use crate::support::{Db, TestStore, Work, source, source_id, user_id, webhook, write_together};

pub(crate) fn connects(emitter: &str, event_name: &str, listener: &str) -> Connection {
    Connection {
        emitter: Emitter::parse(emitter).unwrap(),
        event_name: event_name.to_owned(),
        listener: Listener::parse(listener).unwrap(),
    }
}

pub(crate) fn subscription(
    tail: &str,
    user: &UserId,
    connects: Connection,
    created_at: i64,
) -> Subscription {
    Subscription {
        id: SubscriptionId::parse(&format!("sub_{tail}")).unwrap(),
        user_id: user.clone(),
        connects,
        created_at,
    }
}

fn ids(c: &mut dyn Conn, user: &UserId) -> Result<Vec<String>> {
    let rows = subscriptions::list(c, user)?;
    Ok(rows.iter().map(|row| row.id.to_string()).collect())
}

#[rstest]
fn the_same_again_is_the_row_that_is_there(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let first = subscription("one", &a, connects("dc_s", "default", "wh_w"), 5);
        assert_eq!(subscriptions::ensure(c, &first)?, first);
        let again = subscription("two", &a, connects("dc_s", "default", "wh_w"), 6);
        assert_eq!(subscriptions::ensure(c, &again)?, first);
        // Another name, another listener, another user: each is a row of its own.
        for (tail, user, what) in [
            ("three", &a, connects("dc_s", "", "wh_w")),
            ("four", &a, connects("dc_s", "default", "dc_s")),
            ("five", &a, connects("dc_*", "default", "wh_w")),
            ("six", &b, connects("dc_s", "default", "wh_w")),
        ] {
            let other = subscription(tail, user, what, 7);
            assert_eq!(subscriptions::ensure(c, &other)?, other);
        }
        assert_eq!(
            ids(c, &a)?,
            ["sub_three", "sub_four", "sub_five", "sub_one"]
        );
        assert_eq!(ids(c, &b)?, ["sub_six"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_same_at_the_same_time_is_one_row(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let works = (0..8).map(|number| {
        let work = move |c: &mut dyn Conn| {
            let wanted = subscription(
                &format!("n{number}"),
                &user_id("a"),
                connects("dc_s", "", "wh_w"),
                number,
            );
            subscriptions::ensure(c, &wanted).map(drop)
        };
        Box::new(work) as Work
    });
    for result in write_together(&t, works.collect()) {
        result.unwrap();
    }
    let left = t.read(|c| ids(c, &user_id("a"))).unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[rstest]
fn removing_takes_the_exact_row_before_the_other_name_of_its_channel(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let add = |c: &mut dyn Conn, tail: &str, name: &str| {
            let wanted = subscription(tail, &a, connects("dc_s", name, "wh_w"), 1);
            subscriptions::ensure(c, &wanted).map(drop)
        };
        add(c, "empty", "")?;
        add(c, "named", "default")?;
        add(c, "logs", "$logs")?;
        let remove = |c: &mut dyn Conn, name: &str| {
            subscriptions::remove(c, &a, &connects("dc_s", name, "wh_w"))
        };
        assert!(remove(c, "default")?);
        assert_eq!(ids(c, &a)?, ["sub_logs", "sub_empty"]);
        assert!(remove(c, "default")?);
        assert_eq!(ids(c, &a)?, ["sub_logs"]);
        assert!(!remove(c, "default")?);
        assert!(!remove(c, "")?);
        assert!(!remove(c, "$errors")?);
        add(c, "named", "default")?;
        assert!(remove(c, "")?);
        let others = connects("dc_s", "$logs", "wh_w");
        assert!(!subscriptions::remove(c, &user_id("b"), &others)?);
        assert_eq!(ids(c, &a)?, ["sub_logs"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn auto_subscriptions_are_told_from_others(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        for (tail, user, what) in [
            ("x", &a, connects("*", "$errors", "wh_w")),
            ("y", &a, connects("*", "", "dc_l")),
            ("z", &a, connects("dc_*", "", "wh_w")),
            ("o", &user_id("b"), connects("*", "", "wh_o")),
        ] {
            subscriptions::ensure(c, &subscription(tail, user, what, 1))?;
        }
        let found = subscriptions::created_later(c, &a)?;
        let found: Vec<_> = found.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(found, ["sub_y", "sub_x"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn what_is_removed_takes_its_subscriptions_along_both_ways(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        sources::insert(c, &source("s", &a, 1))?;
        let hook = webhook("w", &a, 1);
        webhooks::insert(c, &hook)?;
        for (tail, what) in [
            ("emits", connects("dc_s", "", "wh_other")),
            ("listens", connects("dc_other", "", "dc_s")),
            ("hook", connects("dc_other", "", "wh_w")),
            ("auto", connects("*", "", "wh_w")),
            ("stays", connects("dc_*", "", "wh_other")),
        ] {
            subscriptions::ensure(c, &subscription(tail, &a, what, 1))?;
        }
        assert!(sources::remove(c, &source_id("s"))?);
        assert_eq!(ids(c, &a)?, ["sub_stays", "sub_hook", "sub_auto"]);
        assert!(!webhooks::remove(c, &user_id("b"), &hook.id)?);
        assert!(webhooks::remove(c, &a, &hook.id)?);
        assert!(!webhooks::remove(c, &a, &hook.id)?);
        assert_eq!(ids(c, &a)?, ["sub_stays"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn only_what_is_the_users_own_and_live_can_be_held(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let live = source("live", &a, 1);
        let mut creating = source("creating", &a, 1);
        creating.phase = sources::Phase::Creating;
        sources::insert(c, &live)?;
        sources::insert(c, &creating)?;
        assert!(sources::hold(c, &a, &live.id)?);
        assert!(!sources::hold(c, &b, &live.id)?);
        assert!(!sources::hold(c, &a, &creating.id)?);
        assert_eq!(sources::get(c, &a, &live.id)?, Some(live));
        Ok(())
    })
    .unwrap();
}
