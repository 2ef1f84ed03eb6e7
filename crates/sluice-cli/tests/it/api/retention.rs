//! Retention: the newest events and log lines are kept, the rest goes by itself.

use serde_json::json;
use sluice_testkit::{Server, wait_for};

use crate::support::{PATIENCE, deploy, own_server};

#[tokio::test]
async fn events_and_log_lines_beyond_retention_go_and_the_newest_stay() {
    let options = own_server()
        .arg("--event-retention")
        .arg("50")
        .arg("--log-retention")
        .arg("20");
    let server = Server::start(options).await;
    let code = "module.exports = { name: 'Many', version: '1', run() { \
        for (let n = 1; n <= 1200; n++) { this.$emit(n); console.log('line', n); } } };";
    let source = deploy(&server.api(), code).await;
    source.run(json!({})).await;
    for (path, kept) in [("/event_summaries?limit=1", 50), ("/logs?limit=1", 20)] {
        let newest = wait_for(PATIENCE, &format!("{kept} rows of {path}"), async || {
            let page = source.api.get(&source.path(path)).await.expect(200);
            (page["page_info"]["total_count"] == kept).then(|| page["data"][0].clone())
        })
        .await;
        let shown = [&newest["event"], &newest["msg"]];
        assert!(
            shown.contains(&&json!(1200)) || shown.contains(&&json!("line 1200")),
            "{newest}"
        );
    }
}
