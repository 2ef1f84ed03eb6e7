//! What uses an account.

use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Server, wait_for};

use super::fixtures::{key_account, key_app, refused, source_with};
use crate::{
    api::fixtures::page,
    support::{new_user, new_user_on, own_server, shared_server},
    workflows::fixtures as workflows,
};

const PATIENCE: Duration = Duration::from_mins(1);

/// A workflow whose only step has an app prop that names the account.
async fn workflow_with(api: &Api, name: &str, slug: &str, account: &str) -> workflows::Workflow {
    let code = format!(
        "export default {{ props: {{ app: {{ type: \"app\", app: \"{slug}\" }} }}, run() {{}} }};"
    );
    let props = json!({ "app": { "authProvisionId": account } });
    let step = json!({ "name": "only", "code": code, "props": props });
    workflows::deploy(api, &json!({ "name": name, "steps": [step] }).to_string()).await
}

#[rstest]
#[tokio::test]
async fn sources_and_workflows_that_use_an_account_are_listed_newest_first(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let slug = key_app(shared_server(backend)).await;
    let account = key_account(&api, &slug, "1").await;
    let other = key_account(&api, &slug, "2").await;
    let path = format!("/accounts/{account}/uses");
    assert_eq!(page(&api, &path).await.info["total_count"], 0);

    let source = source_with(&api, &slug, &account).await;
    source_with(&api, &slug, &other).await;
    let workflow = workflow_with(&api, "Locksmith", &slug, &account).await;
    let newest = workflow_with(&api, "Newest", &slug, &account).await;
    workflow_with(&api, "Elsewhere", &slug, &other).await;
    let list = page(&api, &path).await;
    assert_eq!(list.info["total_count"], 3);
    let row = |id: &str, kind: &str, name: &Value| json!({ "id": id, "kind": kind, "name": name, "active": true });
    let expected = [
        row(&newest.id, "workflow", &json!("Newest")),
        row(&workflow.id, "workflow", &json!("Locksmith")),
        row(&source.id, "source", &source.source["name"]),
    ];
    assert_eq!(list.rows, expected);

    let first = page(&api, &format!("{path}?limit=2")).await;
    assert_eq!(
        (first.rows.len(), &first.info["total_count"]),
        (2, &json!(3))
    );
    let rest = page(
        &api,
        &format!("{path}?limit=2&after={}", first.end_cursor()),
    )
    .await;
    assert_eq!(rest.rows, expected[2..]);
    let change = json!({ "configured_props": { "app": { "authProvisionId": other } } });
    api.put(&source.path(""), &change).await.ok();
    assert_eq!(page(&api, &path).await.rows, expected[..2]);
}

#[tokio::test]
async fn accounts_that_are_unknown_or_of_somebody_else_are_404() {
    let (api, stranger) = (new_user().await, new_user().await);
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let foreign = key_account(&stranger, &slug, "k").await;
    for account in [foreign.as_str(), "apn_unknown", "nonsense", "%00"] {
        let answer = api.get(&format!("/accounts/{account}/uses")).await;
        assert_eq!(refused(answer, 404), "account not found", "{account}");
    }
}

#[tokio::test]
async fn what_uses_an_account_is_found_quickly_among_ten_thousand_sources() {
    let mut server = Server::start(own_server()).await;
    let api = server.api();
    let slug = key_app(&server).await;
    let used = key_account(&api, &slug, "k").await;
    let idle = key_account(&api, &slug, "l").await;
    let source = source_with(&api, &slug, &used).await;
    server.kill9();
    let database =
        rusqlite::Connection::open(server.data_dir().join("sluice.db")).expect("the database");
    let crowd = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
         INSERT INTO sources (id, user_id, component_id, name, name_slug, phase, active, configured_props, created_at, updated_at)
         SELECT 'dc_n' || n, user_id, component_id, name, 'source-' || n, phase, active, configured_props, n, n
         FROM numbers JOIN sources s ON s.id = '{}';",
        source.id
    );
    database.execute_batch(&crowd).expect("a crowd");
    drop(database);
    server.restart().await;
    for (account, count) in [(&used, 10_001), (&idle, 0)] {
        let list = wait_for(PATIENCE, "a quick answer", async || {
            let begun = Instant::now();
            let list = page(&api, &format!("/accounts/{account}/uses?limit=100")).await;
            // The machine may be busy with other tests once, but not always.
            (begun.elapsed() < Duration::from_millis(800)).then_some(list)
        })
        .await;
        assert_eq!(list.info["total_count"], count);
    }
}
