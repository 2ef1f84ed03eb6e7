//! `postgresql-rows` and `sql-query` on a real PostgreSQL.

use std::thread;

use postgres::{Client, NoTls};
use serde_json::{Value, json};
use sluice_testkit::Postgres;

use super::{deploy_key, failure, poll, rarely, user, workflow_with_secret};
use crate::support::Deployed;

/// Statements on a database. The client has its own runtime, which cannot run inside another one.
fn execute(url: &str, statements: &'static str) {
    let url = url.to_owned();
    let executed = thread::spawn(move || Client::connect(&url, NoTls)?.batch_execute(statements));
    let executed = executed.join().expect("no panic");
    executed.unwrap_or_else(|error| panic!("{statements}: {error}"));
}

async fn rows_of(url: &str, props: Value) -> Deployed {
    let mut all = json!({ "connectionString": url, "timer": rarely() });
    let fields = all.as_object_mut().expect("an object");
    fields.extend(props.as_object().cloned().unwrap_or_default());
    deploy_key(&user().await, "postgresql-rows", all).await
}

fn ids(events: &[Value]) -> Vec<Value> {
    events.iter().map(|event| event["id"].clone()).collect()
}

#[tokio::test]
async fn new_rows_are_emitted_on_postgres() {
    let url = Postgres::database();
    execute(
        &url,
        r#"CREATE TABLE "odd ""table" (id bigserial, name text);
           INSERT INTO "odd ""table" (name) SELECT 'old ' || n FROM generate_series(1, 20) n"#,
    );
    let props = json!({ "table": "odd \"table", "column": "id", "initialItems": 2, "maxRows": 3 });
    let source = rows_of(&url, props).await;
    poll(&source).await;
    assert_eq!(ids(&source.events(2).await), ["19", "20"]);
    execute(
        &url,
        r#"INSERT INTO "odd ""table" (name) SELECT 'new ' || n FROM generate_series(1, 4) n"#,
    );
    // Three rows at a time.
    for _ in 0..3 {
        poll(&source).await;
    }
    let events = source.events(6).await;
    assert_eq!(ids(&events)[2..], ["21", "22", "23", "24"]);
    assert_eq!(events[5], json!({ "id": "24", "name": "new 4" }));
}

#[tokio::test]
async fn rows_with_the_same_time_are_not_missed_on_postgres() {
    let url = Postgres::database();
    execute(
        &url,
        "CREATE TABLE orders (id int PRIMARY KEY, at timestamptz);",
    );
    let props = json!({ "table": "orders", "column": "at", "idColumn": "id", "columns": ["id"], "maxRows": 2 });
    let source = rows_of(&url, props).await;
    poll(&source).await;
    execute(
        &url,
        "INSERT INTO orders SELECT n, '2025-01-15 09:30:00.123456+00' FROM generate_series(1, 5) n",
    );
    for _ in 0..4 {
        poll(&source).await;
    }
    assert_eq!(ids(&source.events(5).await), [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn names_are_no_statements_on_postgres() {
    let url = Postgres::database();
    execute(&url, "CREATE TABLE t (id int); INSERT INTO t VALUES (1)");
    let props = json!({ "table": "t\"; DROP TABLE t; --", "column": "id" });
    let source = rows_of(&url, props).await;
    let error = failure(&source).await;
    assert!(error.contains("does not exist"), "{error}");
    execute(&url, "SELECT * FROM t");
}

#[tokio::test]
async fn a_statement_runs_with_parameters_on_postgres() {
    let url = Postgres::database();
    execute(&url, "CREATE TABLE t (id int, data jsonb)");
    let insert = json!({
        "connectionString": "{{ process.env.SECRET }}", "query": "INSERT INTO t VALUES ($1, $2) RETURNING id, data",
        "params": ["{{ event.id }}", { "name": "{{ event.name }}" }],
    });
    let workflow = workflow_with_secret(&user().await, &url, &[("sql-query", insert)]).await;
    let run = workflow
        .run_and_wait(&json!({ "id": 7, "name": "'; DROP TABLE t; --" }))
        .await;
    let returned = &run["steps"][0]["exports"]["$return_value"];
    assert_eq!(
        *returned,
        json!({
            "rows": [{ "id": 7, "data": { "name": "'; DROP TABLE t; --" } }],
            "row_count": 1, "command": "INSERT", "truncated": false,
        }),
        "{run}"
    );
}
