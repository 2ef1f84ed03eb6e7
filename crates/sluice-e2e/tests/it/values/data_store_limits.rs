//! What a component may ask of data stores, and what becomes of one that asks too much or goes past the harness.

use serde_json::json;

use super::{cramped_user, with_props};
use crate::support::{deploy_with, new_user};

#[tokio::test]
async fn values_and_stores_have_a_size_and_a_refused_value_changes_nothing() {
    let code = with_props(
        "store: 'data_store'",
        "const { store } = this; const refused = []; const attempt = (...args) => store.set(...args).catch((error) => refused.push(error.message));
         await store.set('a', 'old'); await attempt('a', 'x'.repeat(2047)); const old = await store.get('a');
         await attempt('a', 'x'.repeat(2040)); await attempt('b', 'x'.repeat(2040)); await attempt('c', 'a little more'); const c = await store.has('c');
         await store.set('a', 1); await attempt('c', 'fits now'); this.$emit([refused, old, c, await store.get('a'), (await store.get('b')).length, await store.get('c')]);",
    );
    let source = deploy_with(&cramped_user().await, &code, json!({ "store": "s" })).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([
            [
                "a value of a data store must be at most 2048 bytes long",
                "the data store \"s\" would become larger than 4096 bytes"
            ],
            "old",
            false,
            1,
            2040,
            "fits now"
        ])]
    );
}

#[tokio::test]
async fn a_key_is_text_that_every_database_can_index_and_a_value_is_json() {
    let code = with_props(
        "store: 'data_store'",
        "const { store } = this; const thrown = []; const loop = {}; loop.loop = loop; const bad = (promise) => promise.then(() => thrown.push('taken'), (error) => thrown.push(error.name));
         await bad(store.set('', 1)); await bad(store.set('a\\0', 1)); await bad(store.set('x'.repeat(2001), 1)); await bad(store.get('\\ud800'));
         await bad(store.set('a', undefined)); await bad(store.set('a', loop)); await bad(store.set('a', 1n)); await bad(store.set('a', 1, { ttl: -1 })); await bad(store.setTtl('a', 'soon'));
         const longest = 'é'.repeat(1000); await store.set(longest, 1); await store.set(5, 1); this.$emit([thrown, await store.get(longest), await store.has('5')]);",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "store": "s" })).await;
    source.run(json!({})).await;
    let errors = [
        "TypeError",
        "TypeError",
        "RangeError",
        "TypeError",
        "TypeError",
        "TypeError",
        "TypeError",
        "TypeError",
        "TypeError",
    ];
    assert_eq!(source.events(1).await, [json!([errors, 1, true])]);
}

#[tokio::test]
async fn a_flood_of_questions_is_answered_and_slows_only_who_asks() {
    let api = new_user().await;
    let code = with_props(
        "store: 'data_store'",
        "const answers = await Promise.all(Array.from({ length: 5000 }, (_, n) => this.store.get(`k${n}`))); this.$emit(answers.length);",
    );
    let flooding = deploy_with(&api, &code, json!({ "store": "s" })).await;
    let calm = deploy_with(
        &api,
        &with_props(
            "store: 'data_store'",
            "this.$emit(await this.store.has('a'));",
        ),
        json!({ "store": "s" }),
    )
    .await;
    flooding.run(json!({})).await;
    calm.run(json!({})).await;
    assert_eq!(calm.events(1).await, [json!(false)]);
    assert_eq!(flooding.events(1).await, [json!(5_000)]);
}

#[tokio::test]
async fn a_call_after_the_invocation_has_ended_is_refused() {
    let code = "let late;\n".to_owned()
        + &with_props(
            "store: 'data_store'",
            "if (late) { this.$emit([await late().catch((error) => error.message), await this.store.has('a')]); } else { late = () => this.store.set('a', 1); this.$emit('first'); }",
        );
    let source = deploy_with(&new_user().await, &code, json!({ "store": "s" })).await;
    source.run(json!({})).await;
    source.events(1).await;
    source.run(json!({})).await;
    let refusal = "data_store.set was called after the invocation had ended: nothing was done";
    assert_eq!(source.events(2).await[1], json!([refusal, false]));
}

#[tokio::test]
async fn a_component_that_turns_the_harness_still_reaches_only_the_stores_it_was_given() {
    let api = new_user().await;
    let writer = with_props(
        "s: 'data_store'",
        "await this.s.set('a', 'theirs'); this.$emit(1);",
    );
    let writer = deploy_with(&api, &writer, json!({ "s": "vault" })).await;
    writer.run(json!({})).await;
    writer.events(1).await;
    let code = with_props(
        "mine: 'data_store'",
        r#"const { join } = Array.prototype; const asked = [];
        for (const name of ["vault", "s", "__proto__"]) {
            Array.prototype.join = function (between) { return join.call(this, between).replace('"prop":"mine"', `"prop":"${name}"`); };
            asked.push(await this.mine.get("a").catch((error) => error.message));
        }
        this.$emit(asked);"#,
    );
    let source = deploy_with(&api, &code, json!({ "mine": "own" })).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([
            "vault names no data store",
            "s names no data store",
            "__proto__ names no data store"
        ])]
    );
}

#[tokio::test]
async fn a_process_that_asks_more_than_may_wait_is_ended() {
    let code = with_props(
        "store: 'data_store'",
        "Object.defineProperty(Map.prototype, 'size', { get: () => 0 });
         await Promise.all(Array.from({ length: 20_000 }, (_, n) => this.store.set(`k${n}`, 'x'.repeat(1000)))); this.$emit('not held back');",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "store": "s" })).await;
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0);
    let message = error["error"]["msg"].as_str().expect("a message");
    assert!(
        message.contains("it asked more questions than may wait for an answer"),
        "{message}"
    );
}

#[tokio::test]
async fn a_process_that_asks_a_question_without_measure_is_ended() {
    let code = with_props(
        "store: 'data_store'",
        "TextEncoder.prototype.encode = new Proxy(TextEncoder.prototype.encode, { apply: (encode, self, [text]) => text.startsWith('\"x') ? [] : Reflect.apply(encode, self, [text]) });
         await this.store.set('a', 'x'.repeat(3_000_000)); this.$emit('taken');",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "store": "s" })).await;
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0);
    let message = error["error"]["msg"].as_str().expect("a message");
    assert!(
        message.contains("it asked a question that is too large"),
        "{message}"
    );
}

#[tokio::test]
async fn answers_and_turns_that_come_after_the_invocation_has_ended_are_dropped() {
    let code = with_props(
        "store: 'data_store'",
        "if (event.first) { for (let n = 0; n < 100; n++) this.store.set(`k${n}`, n).then(() => console.log('late')); return; }
         this.$emit((await this.store.keys()).length);",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "store": "s" })).await;
    source.run(json!({ "first": true })).await;
    source
        .log_with("the invocation had ended before data_store.set had its turn")
        .await;
    source.run(json!({})).await;
    // Those that were on their way were done.
    assert_eq!(source.events(1).await, [json!(32)]);
    let logs = source.logs().await;
    assert!(logs.iter().all(|line| line["msg"] != "late"), "{logs:#?}");
}
