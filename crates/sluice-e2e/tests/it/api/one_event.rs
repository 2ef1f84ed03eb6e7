//! `GET /sources/{id}/events/{event_id}`, and the same for workflows: one event, whole.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Postgres, Server};

use super::fixtures::{EMITTER, emit, idle_source, page, refused, text};
use crate::{
    support::{Deployed, deploy, new_user, new_user_on, own_server},
    workflows::fixtures::deploy_running,
};

const LARGE: usize = 5_000_000;

async fn one(source: &Deployed, id: &Value) -> Value {
    let path = source.path(&format!("/events/{}", text(id)));
    source.api.get(&path).await.ok()
}

#[rstest]
#[tokio::test]
async fn an_event_is_whole_however_large(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let code = format!(
        r#"module.exports = {{ name: "Large", version: "0.0.1",
          run() {{ this.$emit({{ text: "x".repeat({LARGE}) }}, {{ id: "a", summary: "much" }}); }} }};"#
    );
    let mut options = own_server().arg("--max-emit").arg("8MiB");
    if backend == Backend::Postgres {
        options = options.postgres(&Postgres::database());
    }
    let server = Server::start(options).await;
    let source = deploy(&server.api(), &code).await;
    source.run(json!({})).await;
    source.events(1).await;
    let listed = page(&source.api, &source.path("/event_summaries")).await;
    let mut expected = listed.rows[0].clone();
    assert_eq!(expected["event"]["$truncated"], true);
    let shown = one(&source, &expected["id"]).await;
    assert_eq!(shown["event"]["text"].as_str().map(str::len), Some(LARGE));
    expected["event"] = shown["event"].clone();
    assert!(shown == expected, "{}", shown["metadata"]);
}

#[tokio::test]
async fn events_of_every_channel_are_found() {
    let source = deploy(
        &new_user().await,
        r#"module.exports = { name: "Loud", version: "0.0.1",
          run(event) {
            console.log("a line");
            this.$emit(1);
            this.$emit(2, { name: "custom" });
            this.$emit(3, { delivery_ts: Date.now() + 3600000 });
            throw new Error("as asked");
          } };"#,
    )
    .await;
    source.run(json!({})).await;
    source.errors(1).await;
    for (query, count) in [
        ("", 3),
        ("?event_name=$errors", 1),
        ("?event_name=$logs", 2),
    ] {
        let path = source.path(&format!("/event_summaries{query}"));
        let listed = page(&source.api, &path).await;
        assert_eq!(listed.rows.len(), count, "{query}: {:#?}", listed.rows);
        for mut row in listed.rows {
            let shown = one(&source, &row["id"]).await;
            // What is large is cut in the list.
            row["event"] = shown["event"].clone();
            assert_eq!(shown, row);
        }
    }
    let path = source.path("/events/1-0?include=id");
    refused(source.api.get(&path).await, 404);
    let id = source.summaries().await[0]["id"].clone();
    let path = source.path(&format!("/events/{}?include=id", text(&id)));
    assert_eq!(source.api.get(&path).await.ok(), json!({ "id": id }));
}

#[tokio::test]
async fn what_is_unknown_or_not_ones_own_is_404() {
    let (owner, stranger) = (new_user().await, new_user().await);
    let source = deploy(&owner, EMITTER).await;
    emit(&source, &[json!([1])]).await;
    let id = text(&source.summaries().await[0]["id"]);
    let path = source.path(&format!("/events/{id}"));
    assert_eq!(refused(stranger.get(&path).await, 404), "source not found");
    // The events of one source are not those of another.
    let other = idle_source(&owner).await;
    let elsewhere = other.path(&format!("/events/{id}"));
    assert_eq!(refused(owner.get(&elsewhere).await, 404), "event not found");
    for unknown in [
        "1-0",
        "nonsense",
        "1",
        "-1-0",
        "%00",
        "1-%00",
        "99999999999999999999-0",
    ] {
        let path = source.path(&format!("/events/{unknown}"));
        assert_eq!(refused(owner.get(&path).await, 404), "event not found");
    }
    for nobody in ["dc_unknown", "nonsense", "%00", "dc_%FF"] {
        let path = format!("/sources/{nobody}/events/{id}");
        assert_eq!(refused(owner.get(&path).await, 404), "source not found");
    }
    owner
        .delete(&source.path(&format!("/events?start_id={id}&end_id={id}")))
        .await
        .expect(202);
    assert_eq!(refused(owner.get(&path).await, 404), "event not found");
}

#[rstest]
#[tokio::test]
async fn events_of_workflows_are_found_by_id_and_by_slug(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let body = "$.send.emit({ text: 'x'.repeat(3000) }); throw new Error('as asked')";
    let workflow = deploy_running(&api, &[("only", body)]).await;
    workflow.run_and_wait(&json!({})).await;
    workflow.errors(1).await;
    let slug = text(&workflow.shown["name_slug"]);
    for list in ["/event_summaries", "/$errors/event_summaries"] {
        let listed = page(&api, &workflow.path(&format!("{list}?expand=event"))).await;
        let row = &listed.rows[0];
        let id = text(&row["id"]);
        for name in [&workflow.id, &slug] {
            let path = format!("/workflows/{name}/events/{id}");
            assert_eq!(api.get(&path).await.ok(), *row);
            let stranger = new_user_on(backend).await;
            assert_eq!(
                refused(stranger.get(&path).await, 404),
                "workflow not found"
            );
        }
    }
    for unknown in ["1-0", "nonsense", "%00"] {
        let path = workflow.path(&format!("/events/{unknown}"));
        assert_eq!(refused(api.get(&path).await, 404), "event not found");
    }
}
