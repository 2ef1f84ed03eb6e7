//! `GET /workflows/{id}/event_summaries`, and that of errors.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use crate::{
    support::{new_user, new_user_on},
    workflows::fixtures::{Workflow, deploy_running},
};

async fn emitting(backend: Backend) -> Workflow {
    let body = "for (const event of steps.trigger.event) $.send.emit(event)";
    deploy_running(&new_user_on(backend).await, &[("only", body)]).await
}

async fn page(workflow: &Workflow, query: &str) -> Value {
    let path = workflow.path(&format!("/event_summaries?{query}"));
    workflow.api.get(&path).await.expect(200)
}

fn values(page: &Value) -> Vec<&Value> {
    let rows = page["data"].as_array().expect("rows");
    rows.iter().map(|row| &row["event"]["raw_event"]).collect()
}

#[rstest]
#[tokio::test]
async fn the_newest_come_first_in_pages(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let workflow = emitting(backend).await;
    workflow.run(&json!((1..=12).collect::<Vec<_>>())).await;
    workflow.emitted(12).await;
    let first = page(&workflow, "").await;
    assert_eq!(values(&first), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    let info = &first["page_info"];
    assert_eq!(
        (&info["total_count"], &info["count"]),
        (&json!(12), &json!(10))
    );
    assert_eq!(info["start_cursor"], first["data"][0]["id"]);
    let end = info["end_cursor"].as_str().expect("a cursor");
    let rest = page(&workflow, &format!("after={end}")).await;
    assert_eq!(values(&rest), [2, 1]);
    let start = rest["page_info"]["start_cursor"].as_str().expect("one");
    let back = page(&workflow, &format!("limit=2&before={start}")).await;
    assert_eq!(values(&back), [4, 3]);
    assert_eq!(values(&page(&workflow, "limit=1").await), [12]);
    for bad in ["limit=0", "limit=x", "after=x", "expand=run"] {
        let path = workflow.path(&format!("/event_summaries?{bad}"));
        workflow.api.get(&path).await.expect(400);
    }
}

#[tokio::test]
async fn never_more_than_the_newest_hundred_are_shown() {
    let workflow = emitting(Backend::Sqlite).await;
    workflow.run(&json!((1..=120).collect::<Vec<_>>())).await;
    workflow.emitted(100).await;
    let all = page(&workflow, "limit=1000").await;
    assert_eq!(values(&all).len(), 100);
    assert_eq!(all["page_info"]["total_count"], 120);
    let end = all["page_info"]["end_cursor"].as_str().expect("a cursor");
    let next = page(&workflow, &format!("after={end}")).await;
    assert_eq!(next["data"], json!([]));
}

#[tokio::test]
async fn what_is_large_is_cut_unless_expanded() {
    let workflow = emitting(Backend::Sqlite).await;
    let large = json!({ "text": "x".repeat(2000) });
    workflow.run(&json!([large])).await;
    assert_eq!(workflow.emitted(1).await, [json!({ "raw_event": large })]);
    let cut = page(&workflow, "").await;
    assert_eq!(cut["data"][0]["event"]["$truncated"], true);
    let whole = page(&workflow, "expand=event").await;
    assert_eq!(values(&whole), [&large]);
}

#[tokio::test]
async fn errors_are_listed_the_same_way() {
    let bodies = [("only", "throw new Error('x'.repeat(steps.trigger.event))")];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    for length in [1, 2, 2000] {
        workflow.run_and_wait(&json!(length)).await;
    }
    workflow.errors(3).await;
    let path = workflow.path("/$errors/event_summaries?limit=2");
    let first = workflow.api.get(&path).await.expect(200);
    let rows = first["data"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["event"]["$truncated"], true);
    assert_eq!(rows[1]["event"]["error"]["msg"], "xx");
    assert_eq!(first["page_info"]["total_count"], 3);
    let end = first["page_info"]["end_cursor"].as_str().expect("a cursor");
    let path = workflow.path(&format!("/$errors/event_summaries?after={end}"));
    let rest = workflow.api.get(&path).await.expect(200);
    assert_eq!(rest["data"][0]["event"]["error"]["msg"], "x");
    assert_eq!(rest["data"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn fields_are_chosen_and_workflows_of_others_are_404() {
    let workflow = emitting(Backend::Sqlite).await;
    workflow.run(&json!([1])).await;
    workflow.emitted(1).await;
    let chosen = page(&workflow, "include=id").await;
    assert_eq!(
        chosen["data"][0].as_object().map(serde_json::Map::len),
        Some(1)
    );
    let stranger = new_user().await;
    for list in ["/event_summaries", "/$errors/event_summaries"] {
        stranger.get(&workflow.path(list)).await.expect(404);
        stranger
            .get(&format!("/workflows/p_gone{list}"))
            .await
            .expect(404);
    }
}
