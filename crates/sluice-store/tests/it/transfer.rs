//! Whole databases: the keys by which tables are read.

use rstest::rstest;
use sluice_store::{
    Conn, Dialect, Result, query_all,
    transfer::{Table, tables},
};

use crate::support::{Db, TestStore};

/// The columns of all unique indexes of a table, each as one text.
fn unique_keys(c: &mut dyn Conn, table: &Table) -> Result<Vec<String>> {
    let name = table.name();
    let sql = match c.dialect() {
        Dialect::Sqlite => format!(
            "SELECT (SELECT group_concat(c.name) FROM pragma_index_info(i.name) c) \
             FROM pragma_index_list('{name}') i WHERE i.\"unique\" AND NOT i.partial \
             UNION ALL SELECT group_concat(name) FROM pragma_table_info('{name}') WHERE pk > 0"
        ),
        Dialect::Postgres => format!(
            "SELECT (SELECT string_agg(CAST(a.attname AS TEXT), ',' ORDER BY k.place) \
             FROM unnest(CAST(i.indkey AS SMALLINT[])) WITH ORDINALITY AS k(number, place) \
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number) \
             FROM pg_index i WHERE i.indrelid = CAST('\"{name}\"' AS REGCLASS) AND i.indisunique \
             AND i.indpred IS NULL"
        ),
    };
    query_all(c, &sql, &[])
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn each_table_is_read_in_the_order_of_a_unique_index(#[case] db: Db) {
    let Some(store) = TestStore::new(db) else {
        return;
    };
    let keys = |c: &mut dyn Conn| {
        let tables = tables(c)?;
        let with_keys = tables.into_iter().map(|table| {
            let keys = unique_keys(c, &table)?;
            Ok((table, keys))
        });
        with_keys.collect::<Result<Vec<_>>>()
    };
    for (table, unique) in store.read(keys).unwrap() {
        let key = table.key().join(",");
        assert!(
            unique.contains(&key),
            "{}: {key} of {unique:?}",
            table.name()
        );
    }
}

#[test]
fn sqlite_sorts_no_table() {
    let store = TestStore::new(Db::Sqlite).unwrap();
    let plans = |c: &mut dyn Conn| {
        let mut plans = Vec::new();
        for table in tables(c)? {
            let sql = format!(
                "EXPLAIN QUERY PLAN SELECT \"{}\" FROM \"{}\" ORDER BY {}",
                table.columns().join("\", \""),
                table.name(),
                table.key().join(", ")
            );
            c.query(&sql, &[], &mut |row| {
                plans.push(row.get::<String>(3)?);
                Ok(())
            })?;
        }
        Ok(plans)
    };
    for plan in store.read(plans).unwrap() {
        assert!(plan.starts_with("SCAN "), "{plan}");
    }
}
