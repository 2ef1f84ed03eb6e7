//! Nodes of two neighbouring versions of the schema, during an upgrade.

use super::{
    load::{Finished, Load},
    observer::Observer,
    stage::{NODES, Stage},
};

const TABLES: &str = "SELECT tablename FROM pg_tables \
     WHERE schemaname = current_schema() AND tablename NOT LIKE 'test_%'";
const ENTER: &str = "INSERT INTO schema_version (version, compatible_from) \
     SELECT MAX(version) + 1, MAX(version) FROM schema_version";

/// What a newer program does at its start: it adds to tables, and enters its version as one that programs of the version before can
/// go on with. Statements that older nodes have prepared must still work.
async fn expand(observer: &Observer) {
    for table in observer.rows(TABLES).await {
        let sql = format!(
            "ALTER TABLE {} ADD COLUMN of_the_next_version TEXT",
            table[0]
        );
        observer.rows(&sql).await;
    }
    let table = "CREATE TABLE of_the_next_version (id TEXT PRIMARY KEY)";
    observer.rows(table).await;
    observer.rows(ENTER).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_go_on_and_start_again_beside_one_of_the_next_schema_version() {
    let mut stage = Stage::start().await;
    let load = Load::start(&stage).await;
    expand(&stage.observer).await;
    let sources: Vec<_> = load.sources.iter().map(|one| one.id.clone()).collect();
    for node in 0..NODES {
        stage.goes_on(&stage.commit_numbers(&sources).await).await;
        stage.node_mut(node).terminate().await;
        stage.node_mut(node).restart().await;
        stage.in_service().await;
    }
    let Finished { report, .. } = load.finish(&stage, "next schema version", NODES).await;
    report.conclude();
}
