//! `data_store` props: a key-value store that the sources of a user share.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Backend, Server, wait_for};

use super::{faults, with_props};
use crate::support::{Deployed, PATIENCE, deploy_with, new_user, new_user_on, own_server};

/// Deploys a source whose prop `store` is the data store "notes".
async fn with_notes(api: &sluice_testkit::Api, run: &str) -> Deployed {
    let code = with_props(
        "store: 'data_store'",
        &format!("const {{ store }} = this; {run}"),
    );
    deploy_with(api, &code, json!({ "store": "notes" })).await
}

#[rstest]
#[tokio::test]
async fn values_are_set_read_listed_and_removed(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = with_notes(
        &new_user_on(backend).await,
        "const before = [await store.get('a') === undefined, await store.has('a'), await store.keys()];
         await store.set('b', { deep: [1, null, 'ä'] }); await store.set('a', new Date(0)); await store.set('n', null); await store.set('a', 'A');
         const iterated = []; for await (const [key, value] of store) iterated.push([key, value]);
         const after = [await store.get('b'), await store.get('n'), await store.has('a'), await store.keys(), await store.values(), await store.entries()];
         const removed = [await store.delete('a'), await store.delete('a'), await store.has('a')]; await store.clear();
         this.$emit({ before, iterated, after, removed, cleared: await store.keys() });",
    )
    .await;
    source.run(json!({})).await;
    let b = json!({ "deep": [1, null, "ä"] });
    let entries = json!([["a", "A"], ["b", b], ["n", null]]);
    assert_eq!(
        source.events(1).await,
        [json!({
            "before": [true, false, []],
            "iterated": entries,
            "after": [b, null, true, ["a", "b", "n"], ["A", b, null], entries],
            "removed": [true, false, false],
            "cleared": [],
        })]
    );
}

#[rstest]
#[tokio::test]
async fn sources_of_one_user_share_a_store_and_no_other_user_sees_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let (mine, theirs) = (new_user_on(backend).await, new_user_on(backend).await);
    let writer = with_notes(&mine, "await store.set('a', 1); this.$emit('set');").await;
    writer.run(json!({})).await;
    writer.events(1).await;
    for (api, name, expected) in [
        (&mine, json!({ "name": "notes" }), json!(1)),
        (&mine, json!({ "id": "notes" }), json!(1)),
        (&mine, json!("other"), json!("nothing")),
        (&theirs, json!("notes"), json!("nothing")),
    ] {
        let code = with_props(
            "s: 'data_store'",
            "this.$emit(await this.s.get('a') ?? 'nothing');",
        );
        let reader = deploy_with(api, &code, json!({ "s": name })).await;
        reader.run(json!({})).await;
        assert_eq!(reader.events(1).await, [expected], "{name}");
    }
}

#[tokio::test]
async fn what_was_set_stands_though_the_invocation_fails_or_its_process_dies() {
    let source = with_notes(
        &new_user().await,
        "const tries = (await store.get('tries') ?? 0) + 1; await store.set('tries', tries);
         if (tries === 1) process.exit(1); if (tries === 2) throw new Error('no'); this.$emit(tries);",
    )
    .await;
    source.run(json!({})).await;
    source.errors(1).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(3)]);
}

#[tokio::test]
async fn questions_are_answered_in_the_order_they_were_asked() {
    let source = with_notes(
        &new_user().await,
        "const asked = []; for (let n = 0; n < 200; n++) asked.push(store.set('n', n), store.get('n'));
         const answers = await Promise.all(asked); this.$emit(answers.filter((_, index) => index % 2 === 1).every((value, n) => value === n));",
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(true)]);
}

#[tokio::test]
async fn what_is_not_awaited_is_still_done() {
    let source = with_notes(
        &new_user().await,
        "if (event.set) { store.set('a', 'quietly'); return; } this.$emit(await store.get('a') ?? null);",
    )
    .await;
    source.run(json!({ "set": true })).await;
    wait_for(PATIENCE, "the value", async || {
        let page = source.api.get("/data_stores").await.expect(200);
        (page["data"][0]["keys"] == 1).then_some(())
    })
    .await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("quietly")]);
}

#[tokio::test]
async fn a_hook_can_use_a_store() {
    let code = "module.exports = { name: 'Test', version: '1', props: { store: 'data_store' },
        hooks: { async deploy() { await this.store.set('a', 'from deploy'); } }, async run() { this.$emit(await this.store.get('a')); } };";
    let source = deploy_with(&new_user().await, code, json!({ "store": "x" })).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("from deploy")]);
}

#[rstest]
#[tokio::test]
async fn an_entry_with_a_time_to_live_is_gone_when_it_is_over(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = with_notes(
        &new_user_on(backend).await,
        "for (const key of ['short', 'kept', 'long']) await store.set(key, 1, { ttl: 1000 });
         const alive = [await store.has('short'), await store.setTtl('kept', null), await store.setTtl('missing', 5), await store.setTtl('short', 0.05)];
         while (await store.has('short')) await new Promise((done) => setTimeout(done, 20));
         const gone = [await store.get('short') === undefined, await store.setTtl('short', 5), await store.keys()];
         this.$emit([alive, gone]);",
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([
            [true, true, false, true],
            [true, false, ["kept", "long"]]
        ])]
    );
}

#[tokio::test]
async fn what_has_expired_is_removed_from_the_database() {
    let mut server = Server::start(own_server()).await;
    let source = with_notes(
        &server.api(),
        "await store.set('a', 1, { ttl: 0.001 }); await store.set('b', 1); while (await store.has('a')); this.$emit('expired');",
    )
    .await;
    source.run(json!({})).await;
    source.events(1).await;
    // The first thing a server does is to keep house.
    server.restart().await;
    let database = server.data_dir().join("sluice.db");
    wait_for(PATIENCE, "the entry to go", async || {
        let db = rusqlite::Connection::open(&database).expect("the database");
        let keys: String = db
            .query_row(
                "SELECT group_concat(key) FROM data_store_entries",
                [],
                |row| row.get(0),
            )
            .expect("entries");
        (keys == "b").then_some(())
    })
    .await;
}

#[tokio::test]
async fn two_processes_that_take_two_stores_in_either_order_do_not_block_each_other() {
    let api = new_user_on(Backend::Postgres).await;
    let run = "await Promise.all(Array.from({ length: 300 }, (_, n) => this[n % 2 ? event.first : event.second].set('n', n))); this.$emit('done');";
    let code = with_props("a: 'data_store', b: 'data_store'", run);
    let stores = json!({ "a": "a", "b": "b" });
    let one = deploy_with(&api, &code, stores.clone()).await;
    let two = deploy_with(&api, &code, stores).await;
    one.run(json!({ "first": "a", "second": "b" })).await;
    two.run(json!({ "first": "b", "second": "a" })).await;
    assert_eq!(one.events(1).await, ["done"]);
    assert_eq!(two.events(1).await, ["done"]);
}

#[tokio::test]
async fn setting_again_keeps_the_time_to_live() {
    let source = with_notes(
        &new_user().await,
        "await store.set('a', 1, { ttl: 3 }); await store.set('a', 2); const now = await store.get('a');
         while (await store.has('a')) await new Promise((done) => setTimeout(done, 20)); this.$emit(now);",
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(2)]);
}

#[tokio::test]
async fn a_store_of_many_entries_is_read_in_pages() {
    let source = with_notes(
        &new_user().await,
        "const big = 'x'.repeat(20_000); await Promise.all(Array.from({ length: 300 }, (_, n) => store.set(`k${String(n).padStart(4, '0')}`, big)));
         await Promise.all(Array.from({ length: 900 }, (_, n) => store.set(`s${n}`, n)));
         let count = 0; let last = ''; let sorted = true; for await (const [key] of store) { sorted &&= key > last; last = key; count += 1; }
         this.$emit([count, sorted, (await store.keys()).length, (await store.values()).filter((value) => value === big).length]);",
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!([1_200, true, 1_200, 300])]);
}

#[tokio::test]
async fn a_store_must_be_named() {
    let api = new_user().await;
    let refused = |given| faults(&api, "store: 'data_store'", given);
    assert_eq!(refused(json!({})).await, json!(["store is required"]));
    let unnamed = json!(["store must be the name of a data store"]);
    for value in [json!(5), json!(""), json!({}), json!("a\0")] {
        assert_eq!(refused(json!({ "store": value })).await, unnamed, "{value}");
    }
}
