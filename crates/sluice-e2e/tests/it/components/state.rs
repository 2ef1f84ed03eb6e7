//! `$.service.db`: synchronous, JSON in and out, one for each source.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use super::{component, manual};
use crate::support::{deploy, new_user, new_user_on};

fn with_db(run: &str) -> String {
    component(&format!(
        "props: {{ db: '$.service.db' }}, async run(event) {{ const {{ db }} = this; {run} }}"
    ))
}

#[tokio::test]
async fn get_gives_what_set_stored_synchronously_and_undefined_for_a_missing_key() {
    let code = with_db(
        "const before = db.get('a'); const given = db.set('a', { n: 1 }); this.$emit([before === undefined, given === undefined, db.get('a'), await db.get('a')]);",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([true, true, { "n": 1 }, { "n": 1 }])]
    );
}

#[rstest]
#[tokio::test]
async fn values_make_a_json_round_trip_and_last(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let code = with_db(
        r#"const values = { text: "ä \u0000 \ud83e\udd80", number: 1.5, yes: true, nothing: null, list: [undefined, 1], date: new Date(0), deep: { a: { b: [] }, f() {} }, key: 1 };
        if (event.write) { for (const [key, value] of Object.entries(values)) db.set(`${key} ä/'"`, value); }
        else this.$emit(Object.keys(values).map((key) => db.get(`${key} ä/'"`)));"#,
    );
    let source = deploy(&new_user_on(backend).await, &code).await;
    source.run(json!({ "write": true })).await;
    // New code means a new process, which gets what is in the database.
    source
        .api
        .put(
            &source.path(""),
            &json!({ "component_code": format!("{code}//") }),
        )
        .await
        .ok();
    source.run(json!({})).await;
    let stored = json!(["ä \0 🦀", 1.5, true, null, [null, 1], "1970-01-01T00:00:00.000Z", { "a": { "b": [] } }, 1]);
    assert_eq!(source.events(1).await, [stored]);
}

#[rstest]
#[tokio::test]
async fn undefined_deletes_a_key_for_good(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let code = with_db(
        "if ('value' in event) db.set('a', event.value ?? undefined); this.$emit(db.get('a') === undefined);",
    );
    let source = deploy(&new_user_on(backend).await, &code).await;
    source.run(json!({ "value": 1 })).await;
    source.events(1).await;
    source.run(json!({ "value": null })).await;
    source.events(2).await;
    source
        .api
        .put(
            &source.path(""),
            &json!({ "component_code": format!("{code}//") }),
        )
        .await
        .ok();
    source.run(json!({})).await;
    assert_eq!(
        source.events(3).await,
        [json!(false), json!(true), json!(true)]
    );
}

#[tokio::test]
async fn changing_a_value_that_was_read_or_stored_does_not_change_the_store() {
    let code = with_db(
        "const value = { n: 1 }; db.set('a', value); value.n = 2; db.get('a').n = 3; this.$emit(db.get('a'));",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!({ "n": 1 })]);
}

#[tokio::test]
async fn a_value_that_is_not_json_throws_and_stores_nothing() {
    let code = with_db(
        "db.set('a', 'old'); const loop = {}; loop.loop = loop; const thrown = [];
         for (const value of [1n, loop]) { try { db.set('a', value); } catch (error) { thrown.push(error.name); } }
         this.$emit([thrown, db.get('a')]);",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([["TypeError", "TypeError"], "old"])]
    );
}

#[tokio::test]
async fn hooks_run_and_methods_share_one_store() {
    let code = component(
        "props: { db: '$.service.db', kv: '$.service.db' },
         methods: { add(what) { this.db.set('trace', [...(this.db.get('trace') ?? []), what]); } },
         hooks: { deploy() { this.add('deploy'); }, async activate() { await null; this.add('activate'); }, deactivate() { this.add('deactivate'); } },
         run() { this.add('run'); this.$emit(this.db.get('trace')); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!(["deploy", "activate", "run"])]
    );
    source
        .api
        .put(
            &source.path(""),
            &json!({ "component_code": format!("{code}//") }),
        )
        .await
        .ok();
    source.run(json!({})).await;
    assert_eq!(
        source.events(2).await[1],
        json!(["deploy", "activate", "run", "deactivate", "activate", "run"])
    );
}

#[tokio::test]
async fn the_store_survives_new_code_new_props_and_a_time_of_inactivity() {
    let code = component(
        "props: { db: '$.service.db', label: { type: 'string', default: 'x' } }, run() { const n = (this.db.get('n') ?? 0) + 1; this.db.set('n', n); this.$emit(n); }",
    );
    let source = deploy(&new_user().await, &code).await;
    let updates = [
        json!({ "component_code": format!("{code}//") }),
        json!({ "configured_props": { "label": "y" } }),
        json!({ "active": false }),
        json!({ "active": true }),
    ];
    source.run(json!({})).await;
    source.events(1).await;
    for update in updates {
        source.api.put(&source.path(""), &update).await.ok();
    }
    source.run(json!({})).await;
    assert_eq!(source.events(2).await, [1, 2]);
}

#[tokio::test]
async fn what_was_set_before_a_throw_stands() {
    let code = with_db(
        "if (event.fail) { db.set('a', 'kept'); throw new Error('after'); } this.$emit(db.get('a') ?? null);",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({ "fail": true })).await;
    source.errors(1).await;
    source
        .api
        .put(
            &source.path(""),
            &json!({ "component_code": format!("{code}//") }),
        )
        .await
        .ok();
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("kept")]);
}

#[tokio::test]
async fn two_sources_of_one_component_do_not_share_a_store() {
    let api = new_user().await;
    let code = with_db("this.$emit(db.get('a') ?? null); db.set('a', 1);");
    let (one, two) = (deploy(&api, &code).await, deploy(&api, &code).await);
    one.run(json!({})).await;
    one.events(1).await;
    two.run(json!({})).await;
    assert_eq!(two.events(1).await, [json!(null)]);
}

#[tokio::test]
async fn a_write_after_the_invocation_has_ended_is_refused_and_logged() {
    let code = "let late;\n".to_owned()
        + &component(
            "props: { db: '$.service.db' }, run() { const { db } = this; late?.(); this.$emit(db.get('a') ?? 'nothing'); late ??= () => db.set('a', 'late'); }",
        );
    let source = deploy(&new_user().await, &code).await;
    for count in [1, 2] {
        source.run(json!({})).await;
        assert_eq!(source.events(count).await, vec!["nothing"; count]);
    }
    source.log_with("after the invocation had ended").await;
}

#[tokio::test]
async fn a_component_without_the_prop_has_no_store() {
    let source = deploy(&new_user().await, &manual("this.$emit(typeof this.db);")).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("undefined")]);
}
