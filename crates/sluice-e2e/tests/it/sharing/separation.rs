//! Sources that share a process have no state in common, and what they do is told apart.

use serde_json::json;

use super::{Shared, ok, shareable};
use crate::support::{Form, deploy};

#[tokio::test]
async fn each_source_has_its_own_module_state_and_store() {
    let code = shareable(
        "let count = 0; class Kept { static all = []; }",
        "count += 1; Kept.all.push(event.body); this.db.set('n', (this.db.get('n') ?? 0) + 1);
         this.$emit([count, Kept.all, this.db.get('n')]);",
    );
    let shared = Shared::start(&code, 4, &[]).await;
    for _ in 0..2 {
        shared.send_all(&ok()).await;
    }
    for source in &shared.sources {
        let expected = [json!([1, ["ok"], 1]), json!([2, ["ok", "ok"], 2])];
        assert_eq!(source.events(2).await, expected);
    }
    assert_eq!(shared.metric("process_starts_total").await, 1);
}

#[tokio::test]
async fn common_js_has_its_own_module_state_too() {
    let code = Form::CommonJs.module(
        "let count = 0;",
        "props: { http: '$.interface.http' }, run() { count += 1; this.$emit(count); }",
    );
    let shared = Shared::start(&code, 3, &[]).await;
    shared.send_all(&ok()).await;
    for source in &shared.sources {
        assert_eq!(source.events(1).await, [1]);
    }
    assert_eq!(shared.metric("process_starts_total").await, 1);
}

#[tokio::test]
async fn log_lines_and_errors_belong_to_their_source() {
    let code = shareable(
        "console.log('loading');",
        "if (event.body === 'fail') {
           setTimeout(() => { throw new Error('late'); }, 1);
           await new Promise((done) => setTimeout(done, 200));
         }
         console.log('ran', event.body);
         this.$emit(event.body);",
    );
    let shared = Shared::start(&code, 2, &[]).await;
    shared.send_all(&ok()).await;
    let [failing, other] = shared.sources.as_slice() else {
        panic!("two sources");
    };
    failing.send(&json!("fail")).await.expect(200);
    let error = failing.errors(1).await.remove(0);
    assert_eq!(error["error"]["msg"], "late");
    assert!(
        error["error"]["stack"]
            .as_str()
            .is_some_and(|stack| stack.contains("component.mjs:")),
        "{error}"
    );
    for source in [failing, other] {
        let logs = source.logs().await;
        let texts: Vec<&str> = logs
            .iter()
            .filter_map(|line| line["msg"].as_str())
            .collect();
        assert_eq!(&texts[..2], ["loading", "ran ok"], "{logs:#?}");
    }
    assert!(other.errors_so_far().await.is_empty());
    assert_eq!(other.logs().await.len(), 2);
    assert_eq!(shared.metric("process_starts_total").await, 1);
}

#[tokio::test]
async fn a_source_with_other_props_keeps_them() {
    let code = "export default { name: 'Test', version: '0.0.1',
        props: { http: '$.interface.http', word: { type: 'string' } },
        run() { this.$emit(this.word); } };";
    let shared = Shared::start(&shareable("", "this.$emit(1);"), 0, &[]).await;
    let api = shared.server.api();
    let mut sources = Vec::new();
    for word in ["a", "b"] {
        sources.push(crate::support::deploy_with(&api, code, json!({ "word": word })).await);
    }
    for (source, word) in sources.iter().zip(["a", "b"]) {
        source.send(&ok()).await.expect(200);
        assert_eq!(source.events(1).await, [word]);
    }
    let unrelated = deploy(&api, &shareable("", "this.$emit(2);")).await;
    unrelated.send(&ok()).await.expect(200);
    assert_eq!(unrelated.events(1).await, [2]);
    assert_eq!(shared.metric("process_starts_total").await, 2);
}
