//! Signals and options of `sluice serve` that take effect only in the whole server.

use sluice_testkit::{Server, wait_for};

use crate::support::{PATIENCE, own_server};

#[tokio::test]
async fn sighup_is_ignored_without_a_certificate() {
    let server = Server::start(own_server()).await;
    server.hang_up();
    wait_for(PATIENCE, "the log line", async || {
        server.logs().contains("SIGHUP ignored").then_some(())
    })
    .await;
    server.api().get("/users/me").await.expect(200);
}
