//! Saved filters.

use std::collections::BTreeMap;

use rstest::rstest;
use sluice_model::SavedFilterId;
use sluice_store::saved_filters::{self, FilteredList, SavedFilter};

use crate::support::{Db, TestStore, user_id};

fn filter(id: &str, user: &str, list: FilteredList, name: &str) -> SavedFilter {
    SavedFilter {
        id: SavedFilterId::parse(id).unwrap(),
        user_id: user_id(user),
        list,
        name: name.to_owned(),
        parameters: BTreeMap::from([("q".to_owned(), "total:>100".to_owned())]),
        created_at: 1,
    }
}

#[rstest]
fn a_filter_is_kept_renamed_and_removed(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let large = filter("flt_1", "a", FilteredList::Events, "large");
        let failed = filter("flt_2", "a", FilteredList::Runs, "failed");
        let foreign = filter("flt_3", "b", FilteredList::Events, "large");
        for row in [&large, &failed, &foreign] {
            saved_filters::put(c, row)?;
        }
        let own = saved_filters::list(c, &user_id("a"))?;
        assert_eq!(own, [large.clone(), failed.clone()]);
        assert_eq!(saved_filters::count(c, &user_id("a"))?, 2);
        let same_name = filter("flt_4", "a", FilteredList::Events, "large");
        assert!(saved_filters::is_taken(c, &same_name)?);
        assert!(!saved_filters::is_taken(c, &large)?);
        let renamed = SavedFilter {
            name: "huge".to_owned(),
            ..large.clone()
        };
        saved_filters::put(c, &renamed)?;
        let found = saved_filters::get(c, &user_id("a"), &large.id)?;
        assert_eq!(found, Some(renamed));
        assert_eq!(saved_filters::get(c, &user_id("b"), &large.id)?, None);
        assert!(!saved_filters::remove(c, &user_id("b"), &large.id)?);
        assert!(saved_filters::remove(c, &user_id("a"), &large.id)?);
        assert_eq!(saved_filters::list(c, &user_id("a"))?, [failed]);
        Ok(())
    })
    .unwrap();
}
