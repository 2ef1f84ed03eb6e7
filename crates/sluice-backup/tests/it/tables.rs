//! Every table of the schema is in a dump.

use std::collections::BTreeSet;

use rstest::rstest;
use sluice_store::{
    Location,
    transfer::{self, LEFT_OUT, snapshot},
};

use crate::support::{manifest, postgres, skips_postgres, sqlite, with_schema};

const SQLITE: &str = include_str!("../../../sluice-store/migrations/sqlite/0001_initial.sql");
const POSTGRES: &str = include_str!("../../../sluice-store/migrations/postgres/0001_initial.sql");

fn declared(schema: &str) -> BTreeSet<String> {
    let lines = schema.lines();
    let names = lines.filter_map(|line| line.strip_prefix("CREATE TABLE ")?.split_once(" ("));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[rstest]
#[case::sqlite(SQLITE)]
#[case::postgres(POSTGRES)]
fn every_table_of_the_schema_is_in_a_dump_or_left_out_on_purpose(#[case] schema: &str) {
    let folder = tempfile::tempdir().unwrap();
    let location = if schema == SQLITE {
        sqlite(&folder, "sluice.db")
    } else if skips_postgres() {
        return;
    } else {
        postgres()
    };
    let dumped = manifest(&with_schema(location));
    let mut known: BTreeSet<String> = dumped.tables.into_iter().map(|it| it.name).collect();
    known.extend(LEFT_OUT.map(str::to_owned));
    known.remove("schema_version");
    known.remove("schema_fingerprints");
    assert_eq!(known, declared(schema));
}

#[test]
fn both_databases_have_the_same_tables_columns_and_keys() {
    if skips_postgres() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let describe = |location: &Location| {
        let tables = snapshot(location, |c| transfer::tables(c)).unwrap();
        let describe = |table: transfer::Table| {
            (
                table.name().to_owned(),
                table.columns().to_vec(),
                table.key().to_vec(),
            )
        };
        tables.into_iter().map(describe).collect::<Vec<_>>()
    };
    let on_sqlite = describe(&with_schema(sqlite(&folder, "sluice.db")));
    let on_postgres = describe(&with_schema(postgres()));
    assert!(on_sqlite.len() > 30);
    assert_eq!(on_sqlite, on_postgres);
}
