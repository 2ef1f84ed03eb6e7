//! Endpoints and timers.

use rstest::rstest;
use sluice_model::TimerSpec;
use sluice_store::{
    StoreError,
    endpoints::{self, Endpoint, EndpointTarget},
    sources::{self, Phase},
    timers::{self, DueTimer, LastTick, Timer, TimersStatus},
};

use crate::support::{Db, TestStore, component_id, endpoint_key, source, source_id, user_id};

#[rstest]
fn an_endpoint_leads_to_its_source(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("s");
        let (first, second) = (endpoint_key('1'), endpoint_key('2'));
        sources::insert(c, &source("s", &user_id("a"), 1))?;
        endpoints::insert(c, &second, &id, "http")?;
        endpoints::insert(c, &first, &id, "another")?;

        let rows = endpoints::of_emitter(c, &id)?;
        let endpoint = |key: &_, prop: &str| Endpoint {
            key: Clone::clone(key),
            emitter_id: id.clone().into(),
            prop: prop.to_owned(),
        };
        assert_eq!(
            rows,
            [endpoint(&first, "another"), endpoint(&second, "http")]
        );
        endpoints::insert(c, &endpoint_key('3'), &source_id("other"), "http")?;
        let some = [id.clone().into(), source_id("unknown").into()];
        assert_eq!(endpoints::of_emitters(c, &some)?, rows);

        let target = EndpointTarget {
            source_id: id.clone(),
            user_id: user_id("a"),
            prop: "http".to_owned(),
            active: true,
            phase: Phase::Live,
            component_id: component_id("c"),
            dynamic_props: Vec::new(),
            generation: 0,
        };
        assert_eq!(endpoints::source_behind(c, &second)?, Some(target));
        endpoints::remove(c, &id, "http")?;
        assert_eq!(endpoints::source_behind(c, &second)?, None);
        assert_eq!(endpoints::of_emitter(c, &id)?.len(), 1);
        Ok(())
    })
    .unwrap();
    let result = t.write(|c| endpoints::insert(c, &endpoint_key('1'), &source_id("x"), "p"));
    assert!(matches!(result, Err(StoreError::Conflict(_))), "{result:?}");
}

#[rstest]
fn the_next_run_of_each_is_that_of_its_first_timer(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let spec = TimerSpec::Interval { seconds: 1 };
        for (tail, prop, due) in [
            ("two", "late", Some(9)),
            ("two", "early", Some(7)),
            ("two", "never", None),
            ("none", "never", None),
            ("other", "timer", Some(1)),
        ] {
            timers::upsert(c, &source_id(tail), prop, &spec, due)?;
        }
        let some = ["two", "none", "unknown"].map(|tail| source_id(tail).into());
        let statuses = timers::status_of_emitters(c, &some)?;
        let status = |next_due, last_tick| TimersStatus {
            next_due,
            last_tick,
        };
        let expected = [
            (some[0].clone(), status(Some(7), None)),
            (some[1].clone(), status(None, None)),
        ];
        assert_eq!(statuses, expected.into());
        let tick = |due_at, lateness_ms| LastTick {
            due_at,
            lateness_ms,
        };
        timers::rearm(c, &source_id("two"), "early", 17, tick(7, 100))?;
        timers::rearm(c, &source_id("two"), "late", 19, tick(9, 3))?;
        let statuses = timers::status_of_emitters(c, &some[..1])?;
        let expected = status(Some(17), Some(tick(9, 3)));
        assert_eq!(statuses, [(some[0].clone(), expected)].into());
        // A new schedule does not forget the last tick.
        timers::upsert(c, &source_id("two"), "late", &spec, Some(1))?;
        let statuses = timers::status_of_emitters(c, &some[..1])?;
        assert_eq!(statuses[&some[0]], status(Some(1), Some(tick(9, 3))));
        Ok(())
    })
    .unwrap();
}

fn cron() -> TimerSpec {
    TimerSpec::Cron {
        expression: "0 9 * * 1".to_owned(),
        timezone: Some("Europe/Berlin".to_owned()),
    }
}

#[rstest]
fn due_timers_come_the_longest_due_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        assert_eq!(timers::next_due(c)?, None);
        timers::upsert(c, &source_id("b"), "t", &TimerSpec::HOURLY, Some(20))?;
        timers::upsert(c, &source_id("a"), "u", &cron(), Some(10))?;
        timers::upsert(c, &source_id("a"), "t", &cron(), Some(20))?;
        timers::upsert(c, &source_id("c"), "t", &cron(), None)?;
        let due = |c: &mut dyn sluice_store::Conn, now, limit| {
            let rows = timers::due(c, now, limit)?;
            let names = rows
                .iter()
                .map(|row| format!("{}.{}", row.emitter_id, row.prop));
            sluice_store::Result::Ok(names.collect::<Vec<_>>())
        };
        assert_eq!(due(c, 9, 10)?, Vec::<String>::new());
        assert_eq!(due(c, 10, 10)?, ["dc_a.u"]);
        assert_eq!(due(c, 20, 10)?, ["dc_a.u", "dc_a.t", "dc_b.t"]);
        assert_eq!(due(c, 20, 2)?, ["dc_a.u", "dc_a.t"]);
        let first = DueTimer {
            emitter_id: source_id("a").into(),
            prop: "u".to_owned(),
            spec: cron(),
            due_at: 10,
        };
        assert_eq!(timers::due(c, 10, 1)?, [first]);
        assert_eq!(timers::next_due(c)?, Some(10));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn timers_are_armed_disarmed_and_removed(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("a");
        let timer = |prop: &str, spec, due_at| Timer {
            emitter_id: source_id("a").into(),
            prop: prop.to_owned(),
            spec,
            due_at,
        };
        timers::upsert(c, &id, "t", &TimerSpec::HOURLY, Some(20))?;
        timers::upsert(c, &id, "t", &cron(), None)?;
        assert_eq!(timers::of_emitter(c, &id)?, [timer("t", cron(), None)]);
        assert!(timers::set_due(c, &id, "t", Some(7))?);
        assert!(!timers::set_due(c, &id, "x", Some(7))?);
        timers::upsert(c, &id, "s", &cron(), Some(8))?;
        timers::upsert(c, &source_id("b"), "t", &cron(), Some(9))?;
        assert_eq!(timers::next_due(c)?, Some(7));
        for prop in ["s", "t"] {
            assert!(timers::set_due(c, &id, prop, None)?);
        }
        assert_eq!(timers::next_due(c)?, Some(9));
        timers::remove(c, &id, "t")?;
        assert_eq!(timers::of_emitter(c, &id)?, [timer("s", cron(), None)]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_tick_is_claimed_once(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("a");
        timers::upsert(c, &id, "t", &cron(), Some(7))?;
        assert!(!timers::claim(c, &id, "t", 6)?);
        assert!(!timers::claim(c, &id, "x", 7)?);
        assert!(timers::claim(c, &id, "t", 7)?);
        assert!(!timers::claim(c, &id, "t", 7)?);
        assert_eq!(timers::of_emitter(c, &id)?[0].due_at, None);
        Ok(())
    })
    .unwrap();
}
