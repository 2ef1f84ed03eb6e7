//! The main flows end to end, on SQLite and on PostgreSQL.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Plan, wait_for};

use super::fixtures::{
    EMITTER, IDLE, WITH_PROPS, all_pages, emit, emit_numbers, page, refused, save, text,
};
use crate::support::{PATIENCE, deploy, deploy_with, new_user_on, shared_server, unique_name};

#[rstest]
#[tokio::test]
async fn a_source_lives_from_post_to_delete(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let source = deploy(&api, EMITTER).await;
    source
        .send(&json!({ "hello": "wörld 🦀" }))
        .await
        .expect(200);
    assert_eq!(source.events(1).await, [json!({ "hello": "wörld 🦀" })]);

    let code = EMITTER.replace(
        "this.$emit(data",
        "console.log('updated') ?? this.$emit([data]",
    );
    let updated = api
        .put(
            &source.path(""),
            &json!({ "component_code": code, "name": "New" }),
        )
        .await
        .ok();
    assert_eq!(
        (&updated["id"], &updated["name_slug"]),
        (&source.source["id"], &json!("new"))
    );
    source.send(&json!(2)).await.expect(200);
    assert_eq!(source.events(2).await[1], json!([2]));
    source.log_with("updated").await;

    api.put(&source.path(""), &json!({ "active": false }))
        .await
        .expect(200);
    refused(source.send(&json!(3)).await, 404);
    api.delete(&source.path("/events")).await.expect(202);
    wait_for(PATIENCE, "no events", async || {
        source.summaries().await.is_empty().then_some(())
    })
    .await;
    api.delete(&source.path("")).await.expect(204);
    refused(api.get(&source.path("")).await, 404);
}

#[rstest]
#[tokio::test]
async fn users_of_both_plans_are_made_and_counted(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let server = shared_server(backend);
    for (plan, used) in [
        (Plan::Free, "daily_invocations_used"),
        (Plan::Paid, "billing_period_invocations"),
    ] {
        let api = server.user(&unique_name(), plan).await;
        emit_numbers(&deploy(&api, EMITTER).await, 1).await;
        assert_eq!(api.get("/users/me").await.ok()[used], 1);
    }
    let taken = json!({ "username": unique_name(), "email": "a@b.c" });
    server.api().post("/users", &taken).await.expect(200);
    refused(server.api().post("/users", &taken).await, 409);
}

#[rstest]
#[tokio::test]
async fn components_are_saved_published_and_found(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let operator = shared_server(backend).api();
    let key = format!("flow-{}", unique_name());
    let code = IDLE.replace("version: ", &format!(r#"key: "{key}", version: "#));
    let id = save(&operator, &code).await;
    let saved = operator.get(&format!("/components/{key}")).await.ok();
    assert_eq!((&saved["id"], &saved["code"]), (&json!(id), &json!(code)));
    operator
        .post("/components/registry", &json!({ "component_id": id }))
        .await
        .expect(200);
    refused(
        operator
            .post("/components/registry", &json!({ "component_id": id }))
            .await,
        409,
    );

    let api = new_user_on(backend).await;
    assert_eq!(
        api.get(&format!("/components/registry/{key}")).await.ok(),
        saved
    );
    refused(api.get(&format!("/components/{key}")).await, 404);
    assert_eq!(
        api.post("/sources", &json!({ "key": key })).await.ok()["component_id"],
        id
    );
}

#[rstest]
#[tokio::test]
async fn sources_are_listed_page_by_page_with_slugs_of_their_own(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let component = save(&api, IDLE).await;
    for _ in 0..5 {
        api.post(
            "/sources",
            &json!({ "component_id": component, "name": "myName" }),
        )
        .await
        .expect(200);
    }
    let pages = all_pages(&api, "/users/me/sources?limit=2").await;
    let slugs: Vec<Value> = pages
        .iter()
        .flat_map(|page| page.each("name_slug"))
        .collect();
    assert_eq!(
        slugs,
        [
            "my-name-4",
            "my-name-3",
            "my-name-2",
            "my-name-1",
            "my-name"
        ]
    );
    let ahead = page(
        &api,
        &format!(
            "/users/me/sources?limit=2&before={}",
            pages[2].start_cursor()
        ),
    )
    .await;
    assert_eq!(ahead.each("name_slug"), slugs[2..4]);
}

#[rstest]
#[tokio::test]
async fn events_are_paged_selected_and_deleted(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = deploy(&new_user_on(backend).await, EMITTER).await;
    source.run(json!({ "emits": 7 })).await;
    source.errors(1).await;
    emit(
        &source,
        &[
            json!([1]),
            json!([2, { "name": "custom", "id": 5, "summary": "S", "ts": 9 }]),
            json!([3]),
        ],
    )
    .await;
    emit(&source, &[json!(["x".repeat(2000)])]).await;

    let path = source.path("/event_summaries?limit=2");
    let pages = all_pages(&source.api, &path).await;
    let mut rows: Vec<Value> = pages.into_iter().flat_map(|page| page.rows).collect();
    assert_eq!(rows[0]["event"]["size"], 2002);
    assert_eq!(rows[2]["metadata"]["id"], "5");
    let ids: Vec<String> = rows.drain(..).rev().map(|row| text(&row["id"])).collect();

    let custom = page(
        &source.api,
        &source.path("/event_summaries?event_name=custom"),
    )
    .await;
    assert_eq!(custom.each("event"), [2]);
    let range = format!("/events?start_id={}&end_id={}", ids[1], ids[3]);
    source.api.delete(&source.path(&range)).await.expect(202);
    wait_for(PATIENCE, "the range to go", async || {
        (source.summaries().await.len() == 1).then_some(())
    })
    .await;
    assert_eq!(source.events(1).await, [1]);
    assert_eq!(source.errors(1).await.len(), 1);
}

#[rstest]
#[tokio::test]
async fn refusals_leave_nothing_behind(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let hook = IDLE.replace(
        "run",
        "hooks: { activate() { throw new Error('no') } }, run",
    );
    api.post("/sources", &json!({ "component_code": hook }))
        .await
        .expect(422);
    api.post("/sources", &json!({ "component_code": WITH_PROPS }))
        .await
        .expect(422);
    assert_eq!(page(&api, "/users/me/sources").await.info["total_count"], 0);
    let source = deploy_with(&api, WITH_PROPS, json!({ "city": "Rome\0", "count": 5 })).await;
    api.put(
        &source.path(""),
        &json!({ "component_code": hook, "name": "x" }),
    )
    .await
    .expect(422);
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!({ "city": "Rome\0", "count": 5 })]
    );
}

#[rstest]
#[tokio::test]
async fn other_users_ids_are_404(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let (owner, stranger) = (new_user_on(backend).await, new_user_on(backend).await);
    let source = deploy(&owner, EMITTER).await;
    for rest in ["", "/event_summaries", "/logs"] {
        refused(stranger.get(&source.path(rest)).await, 404);
    }
    refused(
        stranger
            .put(&source.path(""), &json!({ "name": "x" }))
            .await,
        404,
    );
    refused(stranger.delete(&source.path("/events")).await, 404);
    refused(stranger.delete(&source.path("")).await, 404);
    refused(stranger.post(&source.path("/run"), &json!({})).await, 404);
}
