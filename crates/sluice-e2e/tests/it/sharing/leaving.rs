//! Sources that leave a process that others share.

use serde_json::json;
use sluice_testkit::Method;

use super::{Shared, ok, shareable, starts};

#[tokio::test]
async fn code_of_a_deleted_source_ends_with_its_process() {
    let code = shareable(
        "",
        "if (event.body === 'loop') (async () => { for (;;) await new Promise((done) => setTimeout(done, 10)); })();
         this.$emit(event.body);",
    );
    let shared = Shared::start(&code, 3, &[]).await;
    shared.send_all(&json!("loop")).await;
    let deleted = &shared.sources[0];
    let delete = deleted.api.request(Method::DELETE, &deleted.path(""));
    delete.send().await.expect(204);
    shared.wait_for_metric("processes", 0).await;
    for other in &shared.sources[1..] {
        other.send(&ok()).await.expect(200);
        assert_eq!(other.events(2).await, [json!("loop"), ok()]);
    }
    assert_eq!(starts(&shared.server).await, (2, 3));
}

#[tokio::test]
async fn an_updated_source_runs_its_new_code_and_others_go_on() {
    let shared = Shared::start(&shareable("", "this.$emit(1);"), 3, &[]).await;
    shared.send_all(&ok()).await;
    let updated = &shared.sources[0];
    let body = json!({ "component_code": shareable("", "this.$emit(2);") });
    let update = updated.api.request(Method::PUT, &updated.path(""));
    update.json(&body).send().await.expect(200);
    shared.send_all(&ok()).await;
    assert_eq!(updated.events(2).await, [1, 2]);
    assert_eq!(shared.sources[1].events(2).await, [1, 1]);
}

#[tokio::test]
async fn idle_sources_leave_and_come_back() {
    let code = shareable(
        "",
        "this.$emit(this.db.get('n') ?? 0); this.db.set('n', 1);",
    );
    let shared = Shared::start(&code, 3, &["--idle-timeout", "300ms"]).await;
    shared.send_all(&ok()).await;
    shared.wait_for_metric("processes", 0).await;
    shared.send_all(&ok()).await;
    for source in &shared.sources {
        assert_eq!(source.events(2).await, [0, 1]);
    }
}

#[tokio::test]
async fn a_process_with_idle_sources_gives_way_to_another() {
    let code = shareable("", "this.$emit(event.body);");
    let flags = ["--max-processes", "1", "--max-processes-per-account", "1"];
    let shared = Shared::start(&code, 3, &flags).await;
    shared.send_all(&ok()).await;
    let other = shareable("globalThis.alone = true;", "this.$emit(event.body);");
    let other = crate::support::deploy(&shared.server.api(), &other).await;
    other.send(&ok()).await.expect(200);
    other.events(1).await;
    shared.send_all(&ok()).await;
    assert_eq!(shared.metric("processes").await, 1);
}
