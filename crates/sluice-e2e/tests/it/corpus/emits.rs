//! Emits, their order, the key-value store, and what is emitted only once.

use rstest::rstest;
use serde_json::{Value, json};

use super::stage::user;
use crate::support::{Deployed, Form, deploy};

async fn deployed(form: Form, rest: &str) -> Deployed {
    deploy(&user().await, &form.module("", rest)).await
}

#[rstest]
#[tokio::test]
async fn point_08_emits_are_ordered_by_finite_numbers_and_any_other_ts_is_accepted(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let source = deployed(
        form,
        "run() {
            this.$emit('third', { ts: 3000 });
            this.$emit('iso', { ts: '2026-01-01T00:00:00Z' });
            this.$emit('date', { ts: new Date(0) });
            this.$emit('nan', { ts: Date.parse('nonsense') });
            this.$emit('null', { ts: null });
            this.$emit('first', { ts: 1000 });
            this.$emit('bare');
            this.$emit('second', { ts: 2000.5 });
         }",
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(8).await,
        [
            "first", "iso", "date", "nan", "null", "second", "bare", "third"
        ]
    );
    assert_eq!(source.errors_so_far().await, [json!(null); 0]);
}

#[rstest]
#[tokio::test]
async fn point_09_the_store_takes_null_and_dates_and_gives_undefined_for_what_is_missing(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let source = deployed(
        form,
        "props: { db: '$.service.db' }, async run({ write }) {
            const { db } = this;
            if (write) { db.set('nothing', null); db.set('date', new Date(0)); await db.set('awaited', { a: [1] }); }
            this.$emit([db.get('nothing'), db.get('date'), await db.get('awaited'), typeof db.get('missing')]);
         }",
    )
    .await;
    source.run(json!({ "write": true })).await;
    source.events(1).await;
    source.run(json!({ "write": false })).await;
    let seen = json!([null, "1970-01-01T00:00:00.000Z", { "a": [1] }, "undefined"]);
    assert_eq!(source.events(2).await, [seen.clone(), seen]);
}

#[rstest]
#[tokio::test]
async fn row_dedupe_keeps_what_each_strategy_says(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
    #[values("unique", "greatest", "last")] strategy: &str,
) {
    let source = deployed(
        form,
        &format!(
            "dedupe: '{strategy}', run(ids) {{ for (const id of ids) this.$emit(id, {{ id }}); }}"
        ),
    )
    .await;
    let mut seen = 0;
    for (ids, expected) in match strategy {
        "unique" => [([2, 1, 2], vec![2, 1]), ([1, 3, 2], vec![3])],
        "greatest" => [([1, 3, 2], vec![1, 3]), ([2, 4, 3], vec![4])],
        _ => [([1, 2, 3], vec![1, 2, 3]), ([2, 3, 4], vec![4])],
    } {
        source.run(json!(ids)).await;
        let count = seen + expected.len();
        let new: Vec<Value> = source.events(count).await.split_off(seen);
        assert_eq!(json!(new), json!(expected));
        seen = count;
    }
}

#[rstest]
#[tokio::test]
async fn row_emits_come_from_run_from_methods_and_from_hooks_in_any_json(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let source = deployed(
        form,
        "hooks: { async deploy() { await this.$emit([1, 'deploy']); }, activate() { this.tell({ hook: 'activate' }); } },
         methods: { tell(what) { this.$emit(what, { id: 'told', name: 'default', summary: 'Told' }); } },
         run() { this.$emit('text'); this.$emit(null); this.$emit(); this.tell(5); }",
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(6).await,
        [
            json!([1, "deploy"]),
            json!({ "hook": "activate" }),
            json!("text"),
            json!(null),
            json!(null),
            json!(5)
        ]
    );
    assert_eq!(source.summaries().await[0]["metadata"]["summary"], "Told");
}
