//! `GET /users/me/sources`: order, pages and cursors.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::fixtures::{IDLE, all_pages, page, refused, save};
use crate::support::new_user;

const LIST: &str = "/users/me/sources";

/// Makes sources one after the other and gives their ids, newest first.
async fn sources(api: &Api, count: usize) -> Vec<Value> {
    let component = save(api, IDLE).await;
    let mut ids = Vec::new();
    for _ in 0..count {
        let source = api
            .post("/sources", &json!({ "component_id": component }))
            .await
            .ok();
        ids.push(source["id"].clone());
    }
    ids.reverse();
    ids
}

#[tokio::test]
async fn an_empty_list_has_counts_of_zero_and_no_cursors() {
    let api = new_user().await;
    let list = page(&api, LIST).await;
    assert!(list.rows.is_empty());
    let expected =
        json!({ "total_count": 0, "count": 0, "start_cursor": null, "end_cursor": null });
    assert_eq!(list.info, expected);
}

#[tokio::test]
async fn items_are_sources_without_user_id() {
    let api = new_user().await;
    let source = api
        .post("/sources", &json!({ "component_code": IDLE }))
        .await
        .ok();
    let mut expected = source.clone();
    expected
        .as_object_mut()
        .expect("an object")
        .shift_remove("user_id");
    assert_eq!(page(&api, LIST).await.rows, [expected]);
}

#[tokio::test]
async fn the_list_is_newest_first_and_a_page_has_10_unless_told_otherwise() {
    let api = new_user().await;
    let ids = sources(&api, 12).await;
    let first = page(&api, LIST).await;
    assert_eq!(first.each("id"), ids[..10]);
    assert_eq!(
        (&first.info["total_count"], &first.info["count"]),
        (&json!(12), &json!(10))
    );
}

#[tokio::test]
async fn paging_with_after_shows_everything_once_and_ends_in_an_empty_page() {
    let api = new_user().await;
    let ids = sources(&api, 7).await;
    let pages = all_pages(&api, &format!("{LIST}?limit=3")).await;
    let sizes: Vec<usize> = pages.iter().map(|page| page.rows.len()).collect();
    assert_eq!(sizes, [3, 3, 1]);
    assert_eq!(
        pages
            .iter()
            .flat_map(|page| page.each("id"))
            .collect::<Vec<_>>(),
        ids
    );
    assert!(pages.iter().all(|page| page.info["total_count"] == 7));
}

#[tokio::test]
async fn before_gives_the_items_just_ahead_of_the_cursor() {
    let api = new_user().await;
    let ids = sources(&api, 5).await;
    let four = page(&api, &format!("{LIST}?limit=4")).await;
    let last = page(&api, &format!("{LIST}?after={}", four.end_cursor())).await;
    let cursor = last.start_cursor();
    let ahead = page(&api, &format!("{LIST}?limit=2&before={cursor}")).await;
    assert_eq!(ahead.each("id"), ids[2..4]);
}

#[tokio::test]
async fn a_cursor_stays_valid_when_its_row_is_gone() {
    let api = new_user().await;
    let ids = sources(&api, 4).await;
    let first = page(&api, &format!("{LIST}?limit=2")).await;
    let row = ids[1].as_str().expect("an id");
    api.delete(&format!("/sources/{row}")).await.expect(204);
    let rest = page(&api, &format!("{LIST}?after={}", first.end_cursor())).await;
    assert_eq!(rest.each("id"), ids[2..]);
}

#[tokio::test]
async fn a_page_has_at_most_100_items_whatever_the_limit() {
    let api = new_user().await;
    sources(&api, 101).await;
    for limit in ["100", "101", "99999999999999999999"] {
        assert_eq!(
            page(&api, &format!("{LIST}?limit={limit}"))
                .await
                .rows
                .len(),
            100,
            "{limit}"
        );
    }
}

#[tokio::test]
async fn sources_of_other_users_are_not_in_the_list() {
    let (owner, other) = (new_user().await, new_user().await);
    sources(&owner, 1).await;
    assert!(page(&other, LIST).await.rows.is_empty());
}

#[tokio::test]
async fn limits_and_cursors_that_are_none_are_400_on_every_list() {
    let api = new_user().await;
    let source = api
        .post("/sources", &json!({ "component_code": IDLE }))
        .await
        .ok();
    let id = source["id"].as_str().expect("an id");
    let cursor = page(&api, LIST).await.start_cursor();
    for list in [
        LIST.to_owned(),
        format!("/sources/{id}/event_summaries"),
        format!("/sources/{id}/logs"),
    ] {
        for query in [
            "limit=0",
            "limit=-1",
            "limit=",
            "limit=ten",
            "limit=1.5",
            "limit=1e1",
            "limit=1&limit=2",
            "after=!",
            "after=",
            "before=%00",
            "before=dc_abc",
            "after=-1",
            "after=99999999999999999999-0",
            "after=1-0&before=1-0",
            "after=1&before=1",
            &format!("after={cursor}&before={cursor}"),
        ] {
            refused(api.get(&format!("{list}?{query}")).await, 400);
        }
    }
}
