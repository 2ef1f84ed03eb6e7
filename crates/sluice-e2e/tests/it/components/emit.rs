//! `$emit`: data, metadata, channels and order.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use super::{component, manual};
use crate::support::{deploy, new_user, new_user_on};

/// Emits every `[data, meta]` of the event.
const EMITTER: &str = "for (const [data, meta] of event) this.$emit(data, meta);";

#[rstest]
#[tokio::test]
async fn an_event_has_the_id_summary_and_ts_of_its_emit(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = deploy(&new_user_on(backend).await, &manual(EMITTER)).await;
    source.run(json!([["bare", null], ["full", { "id": 17, "summary": "A summary ä", "ts": 1_600_000_000_000_i64 }]])).await;
    source.events(2).await;
    let metadata: Vec<Value> = source
        .summaries()
        .await
        .into_iter()
        .rev()
        .map(|mut summary| summary["metadata"].take())
        .collect();
    assert_eq!(
        [&metadata[0]["name"], &metadata[0]["emitter_id"]],
        [&json!(""), &json!(source.id)]
    );
    assert_eq!(
        (
            metadata[0].get("id"),
            metadata[0].get("summary"),
            metadata[0].get("ts")
        ),
        (None, None, None)
    );
    assert_eq!(
        [
            &metadata[1]["id"],
            &metadata[1]["summary"],
            &metadata[1]["ts"]
        ],
        [
            &json!("17"),
            &json!("A summary ä"),
            &json!(1_600_000_000_000_i64)
        ]
    );
    assert!(metadata[0]["emit_id"].is_string() && metadata[0]["emit_id"] != metadata[1]["emit_id"]);
}

#[tokio::test]
async fn a_named_event_goes_to_its_channel_and_default_is_the_default_channel() {
    let source = deploy(&new_user().await, &manual(EMITTER)).await;
    source.run(json!([["a", { "name": "orders" }], ["b", { "name": "default" }], ["c", { "name": "" }], ["d", {}]])).await;
    source.events(4).await;
    let of = async |channel: &str| -> Vec<Value> {
        let page = source
            .api
            .get(&source.path(&format!("/event_summaries?event_name={channel}")))
            .await
            .expect(200);
        page["data"]
            .as_array()
            .expect("rows")
            .iter()
            .rev()
            .map(|row| row["event"].clone())
            .collect()
    };
    assert_eq!(of("orders").await, ["a"]);
    assert_eq!(of("default").await, ["b", "c", "d"]);
    let names: Vec<Value> = source
        .summaries()
        .await
        .into_iter()
        .map(|row| row["metadata"]["name"].clone())
        .collect();
    assert_eq!(names, ["", "", "", "orders"]);
}

#[tokio::test]
async fn a_reserved_channel_is_an_error_in_the_component() {
    let source = deploy(
        &new_user().await,
        &manual("this.$emit(1); this.$emit(2, { name: '$errors' });"),
    )
    .await;
    source.run(json!({})).await;
    let errors = source.errors(1).await;
    assert!(
        errors[0]["error"]["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("reserved")),
        "{errors:?}"
    );
    assert_eq!(source.events(1).await, [1]);
}

#[tokio::test]
async fn anything_that_is_json_can_be_emitted() {
    let code = manual(
        "this.$emit('text'); this.$emit(0); this.$emit(false); this.$emit(null); this.$emit(undefined); this.$emit(); this.$emit([1, undefined]);
         this.$emit({ a: undefined, b: { toJSON: () => 'own' }, d: new Date(0) }); this.$emit(NaN); this.$emit(() => {}); this.$emit('\\ud800\\u0000');",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    let events = source.events(11).await;
    let expected = json!(["text", 0, false, null, null, null, [1, null], { "b": "own", "d": "1970-01-01T00:00:00.000Z" }, null, null]);
    assert_eq!(events[..10], expected.as_array().expect("a list")[..]);
}

#[tokio::test]
async fn what_is_not_json_is_an_error_and_the_emits_before_it_stand() {
    let source = deploy(
        &new_user().await,
        &manual("this.$emit('before'); this.$emit({ n: 1n });"),
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(source.errors(1).await[0]["error"]["code"], "TypeError");
    assert_eq!(source.events(1).await, [json!("before")]);
}

#[tokio::test]
async fn an_event_is_what_it_was_when_it_was_emitted() {
    let source = deploy(
        &new_user().await,
        &manual("const data = { n: 1 }; this.$emit(data); data.n = 2; this.$emit(data);"),
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(2).await,
        [json!({ "n": 1 }), json!({ "n": 2 })]
    );
}

#[tokio::test]
async fn finite_ts_order_the_batch_and_emits_without_one_keep_their_place() {
    let source = deploy(&new_user().await, &manual(EMITTER)).await;
    source
        .run(json!([["c", { "ts": 30 }], ["x", {}], ["a", { "ts": -1 }], ["b", { "ts": 20 }], ["y", { "ts": "10" }], ["b2", { "ts": 20 }], ["z", null]]))
        .await;
    assert_eq!(source.events(7).await, ["a", "x", "b", "b2", "y", "c", "z"]);
}

#[tokio::test]
async fn ts_may_be_anything_and_only_finite_numbers_count() {
    let code = manual(
        "const forms = [5, new Date(0), '2020-01-01', NaN, Infinity, null, undefined, { a: 1 }, 4.5];
         forms.forEach((ts, n) => this.$emit(n, { ts }));",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(9).await, [8, 1, 2, 3, 4, 5, 6, 7, 0]);
    let stamps: Vec<Value> = source
        .summaries()
        .await
        .iter()
        .rev()
        .map(|row| row["metadata"]["ts"].clone())
        .collect();
    assert_eq!(
        stamps[1..3],
        [json!("1970-01-01T00:00:00.000Z"), json!("2020-01-01")]
    );
}

#[tokio::test]
async fn emits_work_from_methods_callbacks_and_when_awaited() {
    let code = component(
        "methods: { emit(item) { this.$emit(item); }, async later(item) { await null; await this.$emit(item); } },
         async run() { [1, 2].forEach(this.emit); const { $emit, later } = this; $emit(3); await later(4); setTimeout(() => this.$emit(5), 1); await new Promise((done) => setTimeout(done, 20)); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(5).await, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn emits_of_hooks_are_events_once_the_source_is_there() {
    let code = component(
        "hooks: { deploy() { this.$emit('old', { ts: 2 }); this.$emit('older', { ts: 1 }); }, async activate() { await null; this.$emit('activated'); } }, run() {}",
    );
    let source = deploy(&new_user().await, &code).await;
    assert_eq!(source.events(3).await, ["older", "old", "activated"]);
}

#[tokio::test]
async fn emits_before_a_throw_stand_and_the_error_goes_to_the_errors_channel() {
    let source = deploy(
        &new_user().await,
        &manual(
            "this.$emit('before'); throw Object.assign(new Error('broken'), { code: 'E_BROKEN' });",
        ),
    )
    .await;
    let invocation = source.run(json!({ "n": 1 })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(source.events(1).await, [json!("before")]);
    assert_eq!(error["original_event"], json!({ "n": 1 }));
    assert_eq!(
        [
            &error["original_context"]["id"],
            &error["original_context"]["source_id"]
        ],
        [&invocation["id"], &json!(source.id)]
    );
    assert_eq!(
        [&error["error"]["code"], &error["error"]["msg"]],
        ["E_BROKEN", "broken"]
    );
    assert!(
        error["error"]["stack"]
            .as_str()
            .is_some_and(|stack| stack.contains("component.cjs:1:")),
        "{error}"
    );
}

#[tokio::test]
async fn event_ids_increase_strictly_in_the_order_of_the_emits() {
    let source = deploy(
        &new_user().await,
        &manual("for (let n = 0; n < 50; n++) this.$emit(n);"),
    )
    .await;
    source.run(json!({})).await;
    let events = source.events(50).await;
    assert_eq!(events, (0..50).map(Value::from).collect::<Vec<_>>());
    let ids: Vec<(u64, u64)> = source
        .summaries()
        .await
        .iter()
        .rev()
        .map(|row| {
            let (ms, seq) = row["id"]
                .as_str()
                .and_then(|id| id.split_once('-'))
                .expect("<ms>-<seq>");
            (ms.parse().expect("ms"), seq.parse().expect("seq"))
        })
        .collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
}

#[tokio::test]
async fn an_emit_after_the_invocation_has_ended_is_refused_and_logged() {
    let code = "let late;\n".to_owned()
        + &manual("late?.('late'); this.$emit(event); late ??= this.$emit;");
    let source = deploy(&new_user().await, &code).await;
    source.run(json!("first")).await;
    source.events(1).await;
    source.run(json!("second")).await;
    assert_eq!(source.events(2).await, ["first", "second"]);
    source
        .log_with("$emit was called after the invocation had ended")
        .await;
}
