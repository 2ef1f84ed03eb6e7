//! Answers of `additionalProps`.

use rstest::rstest;
use sluice_model::DynamicPropsId;
use sluice_store::dynamic_props::{self, DynamicProps};

use crate::support::{Db, TestStore, component_id, prop, user_id};

fn dynamic(id: &str, created_at: i64) -> DynamicProps {
    DynamicProps {
        id: id_of(id),
        user_id: user_id("a"),
        component_id: component_id("c"),
        props: vec![prop("second"), prop("first")],
        created_at,
    }
}

fn id_of(tail: &str) -> DynamicPropsId {
    DynamicPropsId::parse(&format!("dyp_{tail}")).unwrap()
}

#[rstest]
fn they_belong_to_the_user_who_asked(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let mine = dynamic("x", 1);
        dynamic_props::insert(c, &mine)?;
        assert_eq!(dynamic_props::get(c, &user_id("b"), &mine.id)?, None);
        assert_eq!(dynamic_props::get(c, &user_id("a"), &mine.id)?, Some(mine));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn old_ones_go_the_oldest_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for (id, at) in [("new", 9), ("older", 2), ("oldest", 1), ("old", 3)] {
            dynamic_props::insert(c, &dynamic(id, at))?;
        }
        assert_eq!(dynamic_props::remove_older_than(c, 4, 2)?, 2);
        let a = user_id("a");
        assert!(dynamic_props::get(c, &a, &id_of("older"))?.is_none());
        assert!(dynamic_props::get(c, &a, &id_of("old"))?.is_some());
        assert_eq!(dynamic_props::remove_older_than(c, 4, 9)?, 1);
        assert_eq!(dynamic_props::remove_older_than(c, 9, 9)?, 0);
        Ok(())
    })
    .unwrap();
}
