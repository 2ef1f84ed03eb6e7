//! The requests behind the command.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Plan};

use crate::support::{shared_server, unique_name};

const IMPORT: &str = "/components/registry/import";

fn component(path: &str) -> Value {
    json!({ "path": path, "files": { path: "00" } })
}

fn code(key: &str) -> String {
    format!(
        "module.exports = {{ key: '{key}', name: 'N', version: '1.0.0', type: 'action', run() {{}} }};"
    )
}

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn a_request_registers_remembers_and_tells(#[case] backend: Backend) {
    let api = shared_server(backend).api();
    let tree = unique_name();
    let key = format!("it-{}", tree.to_lowercase());
    let broken = json!({ "path": "b.mjs", "errors": [{ "message": "no such file" }], "files": { "gone.mjs": "" } });
    let texts = json!({ "a.mjs": code(&key), "c.mjs": code(&key) });
    let body = json!({ "tree": tree, "texts": texts, "components": [
        component("a.mjs"), broken, component("c.mjs"), component("missing.mjs"),
    ] });
    let answer = api.post(IMPORT, &body).await.ok();
    let taken = format!("a.mjs has the key {key} already");
    assert_eq!(
        answer,
        json!([
            { "path": "a.mjs", "outcome": "registered", "key": key, "version": "1.0.0" },
            { "path": "b.mjs", "outcome": "failed", "errors": [{ "message": "no such file" }] },
            { "path": "c.mjs", "outcome": "failed", "errors": [{ "message": taken }] },
            { "path": "missing.mjs", "outcome": "failed", "errors": [{ "message": "there is no such file" }] },
        ])
    );
    let again = json!({ "tree": tree, "texts": texts, "components": [component("a.mjs")] });
    assert_eq!(
        api.post(IMPORT, &again).await.ok()[0]["outcome"],
        "unchanged"
    );
    let moved = json!({ "tree": tree, "texts": texts, "left": ["a.mjs", "missing.mjs"], "components": [component("c.mjs")] });
    assert_eq!(
        api.post(IMPORT, &moved).await.ok()[0]["outcome"],
        "unchanged"
    );

    let list = format!("/components/registry/imports?tree={tree}&limit=1");
    let first = api.get(&list).await.expect(200);
    assert_eq!(first["page_info"]["total_count"], 3);
    assert_eq!(
        first["data"],
        json!([{ "path": "b.mjs", "files": { "gone.mjs": "" }, "errors": [{ "message": "no such file" }] }])
    );
    let next = api.get(&format!("{list}&after=b.mjs")).await.expect(200);
    assert_eq!(
        next["data"],
        json!([{ "path": "c.mjs", "files": { "c.mjs": "00" }, "key": key, "version": "1.0.0" }])
    );
    let end = api
        .get(&format!("{list}&after=missing.mjs"))
        .await
        .expect(200);
    assert_eq!(end["data"], json!([]));
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let server = shared_server(Backend::Sqlite);
    let api = server.api();
    let many: Vec<Value> = (0..101).map(|n| component(&n.to_string())).collect();
    for body in [
        json!({ "components": [] }),
        json!({ "tree": "", "components": [] }),
        json!({ "tree": "t", "components": many }),
        json!({ "tree": "t", "components": [], "texts": { "\0": "" } }),
        json!({ "tree": "t", "components": [{ "path": "a\0", "errors": [{ "message": "x" }] }] }),
        json!({ "tree": "t", "components": [{ "path": "a", "errors": [{ "message": "x" }], "files": { "\0": "" } }] }),
        json!({ "tree": "t", "left": ["\0"] }),
        json!({ "tree": "t".repeat(1001), "components": [] }),
        json!({ "tree": "t", "components": [{ "path": "a".repeat(1001), "errors": [{ "message": "x" }] }] }),
    ] {
        api.post(IMPORT, &body).await.expect(400);
    }
    let imports = "/components/registry/imports";
    api.get(imports).await.expect(400);
    api.get(&format!("{imports}?tree=t&before=x"))
        .await
        .expect(400);
    let other = server.user(&unique_name(), Plan::Free).await;
    let body = json!({ "tree": "t", "components": [] });
    other.post(IMPORT, &body).await.expect(404);
    other.get(&format!("{imports}?tree=t")).await.expect(404);
}
