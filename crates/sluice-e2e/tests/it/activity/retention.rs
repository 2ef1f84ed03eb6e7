//! Hours are kept for 31 days.

use std::path::Path;

use rusqlite::Connection;
use serde_json::json;
use sluice_testkit::{Server, wait_for};

use super::fixtures::{activity, counted, obedient, sums};
use crate::support::{PATIENCE, own_server};

fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("sluice.db")).expect("a database")
}

fn rows(folder: &Path, table: &str) -> i64 {
    let sql = format!("SELECT COUNT(*) FROM {table}");
    let count = database(folder).query_row(&sql, [], |row| row.get(0));
    count.expect("a count")
}

#[tokio::test]
async fn hours_that_are_older_than_31_days_go() {
    let mut server = Server::start(own_server()).await;
    let (old, new) = (obedient(&server.api()).await, obedient(&server.api()).await);
    for source in [&old, &new] {
        source.run(json!({ "emits": [[1]] })).await;
    }
    counted(&server.api(), (2, 0, 2)).await;
    let folder = server.data_dir().to_owned();
    wait_for(PATIENCE, "counts to be rolled up", async || {
        (rows(&folder, "count_ledger") == 0).then_some(())
    })
    .await;
    server.terminate().await;
    let connection = database(&folder);
    let make_older = [
        format!(
            "UPDATE activity SET hour = hour - 744 WHERE emitter_id = '{}'",
            old.id
        ),
        format!(
            "UPDATE activity SET hour = hour - 742 WHERE emitter_id = '{}'",
            new.id
        ),
        "UPDATE user_activity SET hour = hour - 744".to_owned(),
    ];
    connection
        .execute_batch(&make_older.join(";"))
        .expect("hours that are long past");
    drop(connection);
    // A server that starts looks at once.
    server.restart().await;
    wait_for(PATIENCE, "old hours to go", async || {
        (rows(&folder, "activity") == 1 && rows(&folder, "user_activity") == 0).then_some(())
    })
    .await;
    let query = format!("hours=744&emitter_id={}", new.id);
    assert_eq!(sums(&activity(&server.api(), &query).await), (1, 0, 1));
}
