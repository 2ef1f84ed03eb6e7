//! `DELETE /sources/{id}/events`: the five rules, channels, and bounds that are none.

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::fixtures::{emit, emit_numbers, page, refused, text};
use crate::support::{Deployed, EMITTER, PATIENCE, deploy, new_user};

/// A source with the events 1 to 5, and their ids in that order.
async fn five_events() -> (Deployed, Vec<String>) {
    let source = deploy(&new_user().await, EMITTER).await;
    emit_numbers(&source, 5).await;
    let mut ids: Vec<String> = source
        .summaries()
        .await
        .iter()
        .map(|row| text(&row["id"]))
        .collect();
    ids.reverse();
    (source, ids)
}

async fn delete(source: &Deployed, query: &str) {
    let answer = source
        .api
        .delete(&source.path(&format!("/events{query}")))
        .await;
    assert_eq!((answer.status, answer.text.as_str()), (202, ""), "{query}");
}

/// Waits until exactly these events are left, oldest first; deletion may take its time.
async fn assert_left(source: &Deployed, expected: &[Value]) {
    wait_for(
        PATIENCE,
        &format!("only {expected:?} to be left"),
        async || {
            let mut left: Vec<Value> = source
                .summaries()
                .await
                .into_iter()
                .map(|row| row["event"].clone())
                .collect();
            left.reverse();
            (left == expected).then_some(())
        },
    )
    .await;
}

#[tokio::test]
async fn delete_events_rule_1_without_bounds_all_events_are_deleted() {
    let (source, _) = five_events().await;
    delete(&source, "").await;
    assert_left(&source, &[]).await;
}

#[tokio::test]
async fn delete_events_rule_2_only_start_id_deletes_from_it_to_the_newest() {
    let (source, ids) = five_events().await;
    delete(&source, &format!("?start_id={}", ids[3])).await;
    assert_left(&source, &[json!(1), json!(2), json!(3)]).await;
}

#[tokio::test]
async fn delete_events_rule_3_only_end_id_deletes_from_the_oldest_up_to_it() {
    let (source, ids) = five_events().await;
    delete(&source, &format!("?end_id={}", ids[1])).await;
    assert_left(&source, &[json!(3), json!(4), json!(5)]).await;
}

#[tokio::test]
async fn delete_events_rule_4_both_bounds_delete_the_range_and_are_included() {
    let (source, ids) = five_events().await;
    delete(&source, &format!("?start_id={}&end_id={}", ids[1], ids[3])).await;
    assert_left(&source, &[json!(1), json!(5)]).await;
}

#[tokio::test]
async fn delete_events_rule_4_the_same_id_twice_deletes_that_single_event() {
    let (source, ids) = five_events().await;
    delete(&source, &format!("?start_id={0}&end_id={0}", ids[2])).await;
    assert_left(&source, &[json!(1), json!(2), json!(4), json!(5)]).await;
}

#[tokio::test]
async fn bounds_work_by_order_also_when_their_event_is_gone() {
    let (source, ids) = five_events().await;
    delete(&source, &format!("?start_id={0}&end_id={0}", ids[2])).await;
    delete(&source, &format!("?start_id={}", ids[2])).await;
    assert_left(&source, &[json!(1), json!(2)]).await;
    delete(&source, "?end_id=1-0").await;
    delete(&source, "?start_id=9223372036854775807-9223372036854775807").await;
    assert_left(&source, &[json!(1), json!(2)]).await;
}

#[tokio::test]
async fn without_event_name_custom_channels_are_deleted_and_errors_are_not() {
    let source = deploy(&new_user().await, EMITTER).await;
    source.run(json!({ "emits": 7 })).await;
    source.errors(1).await;
    emit(&source, &[json!([1]), json!([2, { "name": "custom" }])]).await;
    delete(&source, "").await;
    assert_left(&source, &[]).await;
    assert_eq!(source.errors(1).await.len(), 1);
}

#[tokio::test]
async fn event_name_selects_the_channel_to_delete_from() {
    let source = deploy(&new_user().await, EMITTER).await;
    let emits = [json!([1]), json!([2, { "name": "custom" }]), json!([3])];
    emit(&source, &emits).await;
    delete(&source, "?event_name=custom").await;
    assert_left(&source, &[json!(1), json!(3)]).await;
    emit(&source, &emits).await;
    delete(&source, "?event_name=default").await;
    assert_left(&source, &[json!(2)]).await;
}

#[tokio::test]
async fn errors_are_deleted_when_they_are_named() {
    let source = deploy(&new_user().await, EMITTER).await;
    source.run(json!({ "emits": 7 })).await;
    source.errors(1).await;
    delete(&source, "?event_name=$errors").await;
    let path = source.path("/event_summaries?event_name=$errors");
    wait_for(PATIENCE, "the errors to go", async || {
        page(&source.api, &path).await.rows.is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn only_the_events_of_that_source_are_deleted() {
    let (source, _) = five_events().await;
    let other = deploy(&source.api, EMITTER).await;
    emit_numbers(&other, 1).await;
    delete(&source, "").await;
    assert_left(&source, &[]).await;
    assert_eq!(other.events(1).await, [1]);
}

#[tokio::test]
async fn events_emitted_after_a_deletion_have_newer_ids_than_those_deleted() {
    let (source, ids) = five_events().await;
    delete(&source, "").await;
    emit_numbers(&source, 1).await;
    let next = text(&source.summaries().await[0]["id"]);
    let order = |id: &str| -> Vec<u64> {
        id.split('-')
            .map(|part| part.parse().expect("a number"))
            .collect()
    };
    assert!(order(&next) > order(&ids[4]), "{next} {}", ids[4]);
}

#[tokio::test]
async fn bounds_that_are_no_event_ids_or_the_wrong_way_round_are_400_and_delete_nothing() {
    let (source, ids) = five_events().await;
    let reversed = format!("start_id={}&end_id={}", ids[3], ids[1]);
    for query in [
        "start_id=",
        "end_id=",
        "start_id=1",
        "end_id=abc",
        "start_id=1-",
        "start_id=-1-0",
        "end_id=99999999999999999999-0",
        "start_id=%00",
        "start_id=1-0&start_id=2-0",
        "event_name=%00",
        &reversed,
    ] {
        refused(
            source
                .api
                .delete(&source.path(&format!("/events?{query}")))
                .await,
            400,
        );
    }
    assert_eq!(source.events(5).await.len(), 5);
}
