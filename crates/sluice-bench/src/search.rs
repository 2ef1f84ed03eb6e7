//! Section s: the first page of a list and of searches in a source with many events.
//!
//! The events are written to the database while the server is down: a million of them by HTTP would take minutes.

use std::{path::Path, sync::Arc};

use anyhow::Context;
use rusqlite::Connection;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Postgres, Server};
use tokio::time::Instant;
use tokio_postgres::NoTls;

use crate::{
    deployment::{deploy, save_component},
    report::{Measurement, SectionResult, median},
    settings::Settings,
};

const REQUESTS: usize = 15;
const TARGET_MS: f64 = 100.0;

/// Titles and queries. The first one is no search. One in 1,000 events is of the rare customer.
const LISTS: [(&str, &str); 8] = [
    ("newest events", ""),
    ("newest events by time", "since=0"),
    ("common word", "q=lovelace"),
    ("common field", "q=status%3Apaid"),
    ("two common fields", "q=total%3A%3E100%20status%3Apaid"),
    ("rare field", "q=customer.email%3Auser7%40example.com"),
    ("word that no event has", "q=nowhere"),
    ("number that no event has", "q=total%3A%3E5000"),
];

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    let database = (settings.backend() == Backend::Postgres).then(Postgres::database);
    let mut server = match &database {
        Some(url) => settings.start_server_on(url).await?,
        None => settings.start_server(&[]).await?,
    };
    let source = idle_source(&server.api()).await?;
    eprintln!("s: storing {} events", settings.stored_events);
    server.terminate().await;
    let sql = insertion(&source, settings.stored_events);
    match &database {
        Some(url) => insert_into_postgres(url, &sql).await?,
        None => insert_into_sqlite(&server, &sql).await?,
    }
    server.restart().await;
    let mut rows = Vec::new();
    for (title, query) in LISTS {
        let path = format!("/sources/{source}/event_summaries?limit=100&{query}");
        let first_page = first_page_ms(&server.api(), &path).await;
        rows.push(Measurement::new('s', title, first_page, "ms").at_most(TARGET_MS));
    }
    Ok(rows)
}

async fn idle_source(api: &Api) -> anyhow::Result<String> {
    let component = save_component(api, "echo_source.mjs").await?;
    let sources = deploy(api, &component, &json!({}), 1).await?;
    Ok(sources
        .first()
        .context("no source was deployed")?
        .id
        .clone())
}

/// The median of several requests.
async fn first_page_ms(api: &Api, path: &str) -> f64 {
    let mut times = Vec::with_capacity(REQUESTS);
    for _ in 0..REQUESTS {
        let start = Instant::now();
        let _: Value = api.get(path).await.expect(200);
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
    }
    median(times)
}

/// Orders of about 200 bytes, one each second.
fn insertion(source: &str, events: usize) -> String {
    format!(
        r#"INSERT INTO events (emitter_id, ms, seq, channel, emit_id, meta, data)
        WITH RECURSIVE orders (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM orders WHERE n < {events})
        SELECT '{source}', 1700000000000 + n * 1000, 0, '', 'e' || n, '{{"summary":"Order ' || n || '"}}',
        '{{"id":"A-' || n || '","total":' || n % 1000 || ',"status":"' || CASE WHEN n % 3 = 0 THEN 'open' ELSE 'paid' END
        || '","customer":{{"name":"Ada Lovelace","email":"user' || n % 1000 || '@example.com"}},"items":[{{"sku":"B-'
        || n % 97 || '","n":2}},{{"sku":"C-9","n":1}}],"note":"nothing special about this order"}}' FROM orders;
        INSERT INTO kept_rows (emitter_id, events, errors, logs) VALUES ('{source}', {events}, 0, 0)"#
    )
}

async fn insert_into_sqlite(server: &Server, sql: &str) -> anyhow::Result<()> {
    let path = server.data_dir().join("sluice.db");
    let sql = sql.to_owned();
    tokio::task::spawn_blocking(move || execute(&path, &sql)).await?
}

fn execute(path: &Path, sql: &str) -> anyhow::Result<()> {
    let connection = Connection::open(path)?;
    connection.execute_batch(sql)?;
    Ok(())
}

async fn insert_into_postgres(url: &str, sql: &str) -> anyhow::Result<()> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute(sql).await?;
    client.batch_execute("ANALYZE events").await?;
    Ok(())
}
