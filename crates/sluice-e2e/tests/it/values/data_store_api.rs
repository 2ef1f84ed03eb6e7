//! `GET /data_stores` and `DELETE /data_stores/{name}`.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use super::with_props;
use crate::support::{deploy_with, new_user, new_user_on};

/// Makes stores of these names, with one key each.
async fn make(api: &Api, names: &[&str]) {
    let code = with_props(
        "s: 'data_store'",
        "await this.s.set('key', 'value'); this.$emit(1);",
    );
    for name in names {
        let source = deploy_with(api, &code, json!({ "s": name })).await;
        source.run(json!({})).await;
        source.events(1).await;
    }
}

fn names(page: &Value) -> Vec<&str> {
    let rows = page["data"].as_array().expect("a list");
    rows.iter().filter_map(|row| row["name"].as_str()).collect()
}

#[rstest]
#[tokio::test]
async fn stores_are_listed_by_name_and_deleted(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let empty = api.get("/data_stores").await.expect(200);
    assert_eq!(empty["page_info"]["total_count"], 0);
    make(&api, &["b", "My notes/ä", "a"]).await;

    let page = api.get("/data_stores").await.expect(200);
    assert_eq!(names(&page), ["My notes/ä", "a", "b"]);
    let row = &page["data"][1];
    assert_eq!((&row["keys"], &row["bytes"]), (&json!(1), &json!(10)));
    assert!(row["created_at"].as_i64() <= row["updated_at"].as_i64());

    let first = api.get("/data_stores?limit=2").await.expect(200);
    assert_eq!(names(&first), ["My notes/ä", "a"]);
    let next = api.get("/data_stores?limit=2&after=a").await.expect(200);
    assert_eq!(names(&next), ["b"]);
    let back = api.get("/data_stores?limit=1&before=b").await.expect(200);
    assert_eq!(names(&back), ["a"]);

    let path = "/data_stores/My%20notes%2F%C3%A4";
    assert_eq!(api.delete(path).await.status, 204);
    api.delete(path).await.expect(404);
    let page = api.get("/data_stores").await.expect(200);
    assert_eq!(names(&page), ["a", "b"]);
}

#[tokio::test]
async fn another_user_s_stores_are_neither_seen_nor_deleted() {
    let (mine, theirs) = (new_user().await, new_user().await);
    make(&mine, &["notes"]).await;
    let page = theirs.get("/data_stores").await.expect(200);
    assert_eq!(page["data"], json!([]));
    theirs.delete("/data_stores/notes").await.expect(404);
    theirs.delete("/data_stores/no%00tes").await.expect(404);
    let page = mine.get("/data_stores").await.expect(200);
    assert_eq!(names(&page), ["notes"]);
}

#[tokio::test]
async fn a_store_that_was_deleted_is_made_anew_when_it_is_used() {
    let api = new_user().await;
    let code = with_props(
        "s: 'data_store'",
        "const before = await this.s.get('n') ?? 0; await this.s.set('n', before + 1); this.$emit(before);",
    );
    let source = deploy_with(&api, &code, json!({ "s": "notes" })).await;
    source.run(json!({})).await;
    source.events(1).await;
    assert_eq!(api.delete("/data_stores/notes").await.status, 204);
    source.run(json!({})).await;
    assert_eq!(source.events(2).await, [0, 0]);
}
