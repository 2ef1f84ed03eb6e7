//! `GET /users/me/activity`: what is counted, where, and for whom.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, now_ms, wait_for};
use tokio::task::JoinSet;

use super::fixtures::{FLOW, activity, counted, obedient, sum, sums};
use crate::{
    api::fixtures::refused,
    support::{PATIENCE, new_user, new_user_on},
    workflows::fixtures as workflows,
};

const HOUR_MS: i64 = 3_600_000;

#[rstest]
#[tokio::test]
async fn what_a_source_does_is_counted_for_it_and_for_its_account(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let (source, other) = (obedient(&api).await, obedient(&api).await);
    let before = now_ms();
    let emits = json!([[1], [2, { "name": "custom" }]]);
    source.run(json!({ "emits": emits })).await;
    source.run(json!({ "emits": [[4]], "fails": true })).await;
    source.run(json!({})).await;
    other.run(json!({ "emits": [[5]] })).await;
    // What is in `$errors` is no event.
    let all = counted(&api, (4, 1, 4)).await;
    assert!(sum(&all["compute_ms"]) >= 4, "{all}");
    assert_eq!(all["step_ms"], HOUR_MS);
    let start = all["start_ms"].as_i64().expect("a time");
    assert_eq!(start % HOUR_MS, 0);
    assert_eq!(all["events"].as_array().map(Vec::len), Some(24));
    let last = start + 23 * HOUR_MS;
    // Or the next hour has just begun.
    assert!((last..last + 2 * HOUR_MS).contains(&now_ms()));

    let one = activity(&api, &format!("emitter_id={}", source.id)).await;
    assert_eq!(sums(&one), (3, 1, 3));
    let one = activity(&api, &format!("emitter_id={}&hours=744&step=day", other.id)).await;
    assert_eq!(sums(&one), (1, 0, 1));
    assert_eq!(one["step_ms"], 24 * HOUR_MS);
    assert_eq!(
        one["start_ms"].as_i64().map(|at| at % (24 * HOUR_MS)),
        Some(0)
    );
    assert_eq!(one["events"].as_array().map(Vec::len), Some(31));

    let shown = api.get(&source.path("?expand=activity")).await.ok();
    assert_eq!(sums(&shown["activity"]), (3, 1, 3));
    let last_event = shown["activity"]["last_event_at"].as_i64();
    assert!(last_event.is_some_and(|at| at >= before), "{shown}");
}

#[rstest]
#[tokio::test]
async fn runs_of_workflows_are_counted(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let workflow = workflows::deploy(&api, FLOW).await;
    for fail in [false, true, false] {
        workflow.run_and_wait(&json!({ "fail": fail })).await;
    }
    let all = counted(&api, (2, 1, 3)).await;
    assert!(sum(&all["compute_ms"]) >= 3, "{all}");
    let one = activity(&api, &format!("emitter_id={}", workflow.id)).await;
    assert_eq!(sums(&one), (2, 1, 3));
    let shown = api.get(&workflow.path("?expand=activity")).await.ok();
    assert_eq!(sums(&shown["activity"]), (2, 1, 3));
    assert!(shown["activity"]["last_event_at"].is_number());
    assert_eq!(workflow.now().await["activity"], Value::Null);
}

#[tokio::test]
async fn a_source_that_only_fails_has_errors_and_no_last_event() {
    let api = new_user().await;
    let source = obedient(&api).await;
    source.run(json!({ "fails": true })).await;
    counted(&api, (0, 1, 1)).await;
    let shown = api.get(&source.path("?expand=activity")).await.ok();
    assert_eq!(shown["activity"]["last_event_at"], Value::Null);
}

#[tokio::test]
async fn a_held_event_counts_when_its_time_has_come() {
    let api = new_user().await;
    let source = obedient(&api).await;
    let now = now_ms();
    let emits = json!([
        ["far", { "delivery_ts": now + HOUR_MS }],
        ["near", { "delivery_ts": now + 1_500 }],
    ]);
    source.run(json!({ "emits": emits })).await;
    counted(&api, (1, 0, 1)).await;
    assert!(now_ms() >= now + 1_500);
    assert_eq!(source.summaries().await.len(), 2);
}

#[rstest]
#[tokio::test]
async fn sources_that_commit_at_once_lose_no_count(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    const SOURCES: u64 = 6;
    const EACH: u64 = 25;
    let api = new_user_on(backend).await;
    let mut sources = Vec::new();
    for _ in 0..SOURCES {
        sources.push(obedient(&api).await);
    }
    let mut senders = JoinSet::new();
    for source in sources {
        senders.spawn(async move {
            for _ in 0..EACH {
                source.run(json!({ "emits": [[1]] })).await;
            }
        });
    }
    senders.join_all().await;
    counted(&api, (SOURCES * EACH, 0, SOURCES * EACH)).await;
}

#[tokio::test]
async fn what_is_deleted_is_gone_but_the_account_remembers_what_happened() {
    let api = new_user().await;
    let source = obedient(&api).await;
    let workflow = workflows::deploy(&api, FLOW).await;
    source.run(json!({ "emits": [[1]] })).await;
    workflow.run_and_wait(&json!({ "fail": true })).await;
    counted(&api, (1, 1, 2)).await;
    api.delete(&source.path("")).await.expect(204);
    api.delete(&workflow.path("")).await.expect(204);
    for id in [&source.id, &workflow.id] {
        let path = format!("/users/me/activity?emitter_id={id}");
        refused(api.get(&path).await, 404);
    }
    assert_eq!(sums(&activity(&api, "").await), (1, 1, 2));
    let overview = api.get("/users/me/overview").await.ok();
    for list in ["busiest", "failing"] {
        assert_eq!(overview[list], json!([]), "{list}");
    }
}

#[tokio::test]
async fn nobody_sees_the_activity_of_others() {
    let (api, stranger) = (new_user().await, new_user().await);
    let source = obedient(&api).await;
    let workflow = workflows::deploy(&api, FLOW).await;
    source.run(json!({ "emits": [[1]] })).await;
    counted(&api, (1, 0, 1)).await;
    assert_eq!(sums(&activity(&stranger, "hours=744").await), (0, 0, 0));
    for id in [source.id.as_str(), &workflow.id, "dc_unknown", "x", ""] {
        let path = format!("/users/me/activity?emitter_id={id}");
        assert_eq!(
            refused(stranger.get(&path).await, 404),
            "source or workflow not found"
        );
    }
}

#[tokio::test]
async fn hours_and_steps_that_are_none_are_400() {
    let api = new_user().await;
    for query in ["hours=0", "hours=745", "hours=", "hours=x", "step=week"] {
        refused(api.get(&format!("/users/me/activity?{query}")).await, 400);
    }
    let one = activity(&api, "hours=1").await;
    assert_eq!(one["events"], json!([0]));
}

#[tokio::test]
async fn counts_are_part_of_the_commit_and_survive_a_restart() {
    use sluice_testkit::Server;

    let mut server = Server::start(crate::support::own_server()).await;
    let source = obedient(&server.api()).await;
    source.run(json!({ "emits": [[1], [2]] })).await;
    // As soon as the events are there, so are the counts.
    wait_for(PATIENCE, "events", async || {
        (source.summaries().await.len() == 2).then_some(())
    })
    .await;
    assert_eq!(sums(&activity(&server.api(), "").await), (2, 0, 1));
    server.kill9();
    server.restart().await;
    assert_eq!(sums(&activity(&server.api(), "").await), (2, 0, 1));
}
