//! Numbers that the database gives out. None is given out twice, also after a restore.

use std::cmp::max;

use serde::{Deserialize, Serialize};

use crate::{
    conn::{Conn, Dialect, query_all, query_one},
    error::Result,
    params,
};

/// The last number that was given out for a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequence {
    pub table: String,
    pub last: i64,
}

/// The sequences of a database, by table. Those of SQLite that use a number again after its row was deleted are not among
/// them.
pub fn sequences(c: &mut dyn Conn) -> Result<Vec<Sequence>> {
    match c.dialect() {
        Dialect::Sqlite => {
            let sql = "SELECT name, seq FROM sqlite_sequence ORDER BY name";
            let rows: Vec<(String, i64)> = query_all(c, sql, &[])?;
            Ok(rows.into_iter().map(named).collect())
        }
        Dialect::Postgres => {
            let mut sequences = Vec::new();
            for Identity { table, column } in identities(c)? {
                let sequence: String = query_one(c, SERIAL, params![&table, &column])?;
                let sql = format!(
                    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}"
                );
                let last = query_one(c, &sql, &[])?;
                sequences.push(Sequence { table, last });
            }
            Ok(sequences)
        }
    }
}

/// Advances all sequences beyond the rows of their tables, and beyond those of another database.
pub fn advance_sequences(c: &mut dyn Conn, others: &[Sequence]) -> Result<()> {
    let other = |table: &str| {
        let found = others.iter().find(|it| it.table == table);
        found.map_or(0, |it| it.last)
    };
    for Identity { table, column } in identities(c)? {
        let sql = format!("SELECT COALESCE(MAX(\"{column}\"), 0) FROM \"{table}\"");
        let last = max(query_one(c, &sql, &[])?, other(&table));
        if last > 0 {
            advance(c, &table, &column, last)?;
        }
    }
    Ok(())
}

fn advance(c: &mut dyn Conn, table: &str, column: &str, last: i64) -> Result<()> {
    match c.dialect() {
        Dialect::Sqlite => {
            c.execute(
                "DELETE FROM sqlite_sequence WHERE name = ?1",
                params![table],
            )?;
            let sql = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
            c.execute(sql, params![table, last]).map(drop)
        }
        Dialect::Postgres => {
            let sequence: String = query_one(c, SERIAL, params![table, column])?;
            let sql = "SELECT setval(CAST(CAST(?1 AS TEXT) AS REGCLASS), ?2)";
            c.query(sql, params![&sequence, last], &mut |_| Ok(()))
        }
    }
}

const SERIAL: &str =
    "SELECT pg_get_serial_sequence(quote_ident(CAST(?1 AS TEXT)), CAST(?2 AS TEXT))";

/// A column whose values the database gives out.
struct Identity {
    table: String,
    column: String,
}

fn identities(c: &mut dyn Conn) -> Result<Vec<Identity>> {
    let sql = match c.dialect() {
        Dialect::Sqlite => {
            "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND t.sql LIKE '% AUTOINCREMENT%' AND c.pk > 0 ORDER BY t.name"
        }
        Dialect::Postgres => {
            "SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT) \
             FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> '' \
             WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS REGNAMESPACE) \
             ORDER BY CAST(c.relname AS TEXT) COLLATE \"C\""
        }
    };
    let rows: Vec<(String, String)> = query_all(c, sql, &[])?;
    let identity = |(table, column)| Identity { table, column };
    Ok(rows.into_iter().map(identity).collect())
}

fn named((table, last): (String, i64)) -> Sequence {
    Sequence { table, last }
}
