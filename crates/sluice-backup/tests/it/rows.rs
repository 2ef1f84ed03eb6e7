//! Rows for every table of a PostgreSQL database, made from the types of its columns.

use std::fmt::Write;

use postgres::{Client, NoTls};

/// More than fit into one batch.
pub(crate) const ROWS: usize = 1_100;

struct Column {
    table: String,
    name: String,
    kind: String,
    is_nullable: bool,
}

/// Adds rows to all tables. The values of each column differ, and some are null where they may be.
pub(crate) fn add_everywhere(url: &str) {
    let url = url.to_owned();
    std::thread::spawn(move || add(&url)).join().unwrap();
}

fn add(url: &str) {
    let mut client = Client::connect(url, NoTls).unwrap();
    let columns = columns(&mut client);
    let mut sql = String::new();
    for of_table in columns.chunk_by(|one, next| one.table == next.table) {
        let names: Vec<String> = of_table
            .iter()
            .map(|it| format!("\"{}\"", it.name))
            .collect();
        let values: Vec<String> = of_table.iter().map(value).collect();
        writeln!(
            sql,
            "INSERT INTO \"{}\" ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM generate_series(1, {ROWS}) AS n;",
            of_table[0].table,
            names.join(", "),
            values.join(", "),
        )
        .unwrap();
    }
    client.batch_execute(&sql).unwrap();
}

fn columns(client: &mut Client) -> Vec<Column> {
    let sql = "SELECT table_name::text, column_name::text, data_type::text, is_nullable::text \
               FROM information_schema.columns JOIN information_schema.tables USING (table_name) \
               WHERE columns.table_schema = 'public' AND table_type = 'BASE TABLE' \
               AND table_name NOT IN ('schema_version', 'schema_fingerprints') AND data_type <> 'tsvector' \
               ORDER BY table_name, ordinal_position";
    let rows = client.query(sql, &[]).unwrap();
    let column = |row: &postgres::Row| Column {
        table: row.get(0),
        name: row.get(1),
        kind: row.get(2),
        is_nullable: row.get::<_, String>(3) == "YES",
    };
    rows.iter().map(column).collect()
}

/// An expression of the number `n`. The numbers of registry entries are read again, so they must be valid.
fn value(column: &Column) -> String {
    let Column {
        table,
        name,
        kind,
        is_nullable,
    } = column;
    let value = match (table.as_str(), name.as_str(), kind.as_str()) {
        ("registry", "shelf", _) => "'server'".to_owned(),
        ("registry", "kind", _) => "'source'".to_owned(),
        ("registry", "component_id", _) => "'sc_' || n".to_owned(),
        (_, _, "text") => format!("'{table} {name} ä\u{1f600} ' || n"),
        (_, _, "bigint") => "n * 1000003".to_owned(),
        (_, _, "boolean") => "n % 2 = 0".to_owned(),
        (_, _, "bytea") => "decode(lpad(to_hex(n), 8, '0'), 'hex')".to_owned(),
        (_, _, other) => panic!("{table}.{name} has the type {other}"),
    };
    if *is_nullable {
        // Not all at once, so that partial indexes see all kinds of rows.
        format!(
            "CASE WHEN n % {} = 0 THEN NULL ELSE {value} END",
            name.len() % 5 + 2
        )
    } else {
        value
    }
}
