//! Props of steps that are more than values: apps, stores and folders, each of its own step.

use serde_json::{Map, Value, json, value::to_raw_value};
use sluice_runtime::{BindingKind, ProcessEvent};

use crate::support::{bound, module, start, try_start, workflow};

fn auth(token: &str) -> Map<String, Value> {
    Map::from_iter([("app".to_owned(), json!({ "token": token }))])
}

#[tokio::test]
async fn each_step_has_the_accounts_of_its_own_apps() {
    let code = "export default { props: { app: { type: 'app', app: 'acme', methods: { token() { return this.$auth.token } } } }, run() { return [this.app.token(), this.app.$auth] } }";
    let app = |name| bound(module(name, code), "app", BindingKind::App, json!({}));
    let function = bound(
        module(
            "older",
            "async (event, steps, params, auths) => [params, auths]",
        ),
        "app",
        BindingKind::App,
        json!({}),
    );
    let steps = start(vec![app("one"), app("two"), function]).await;
    steps.process.authorize("one", &auth("first"));
    steps.process.authorize("two", &auth("second"));
    steps.process.authorize("older", &auth("third"));
    for (step, token) in [("one", "first"), ("two", "second")] {
        let ran = steps.run(step, Value::Null).await;
        assert_eq!(ran.returned(), json!([token, { "token": token }]));
    }
    let ran = steps.run("older", Value::Null).await;
    assert_eq!(ran.returned(), json!([{}, { "app": { "token": "third" } }]));
    steps.process.authorize("one", &auth("renewed"));
    assert_eq!(steps.run("one", Value::Null).await.returned()[0], "renewed");
    assert_eq!(steps.run("two", Value::Null).await.returned()[0], "second");
}

#[tokio::test]
async fn each_step_has_keys_of_its_own_in_the_store() {
    let code = "export default { run() { const n = (this.db.get('n') ?? 0) + 1; this.db.set('n', n); return n } }";
    let with_db = |name| bound(module(name, code), "db", BindingKind::Db, Value::Null);
    let mut spec = workflow(vec![with_db("one"), with_db("two")]);
    spec.stored = vec![("one/n".to_owned(), to_raw_value(&41).expect("JSON"))];
    let steps = try_start(&spec).await.expect("it starts");
    for (step, n) in [("one", 42), ("two", 1), ("two", 2)] {
        let ran = steps.run(step, Value::Null).await;
        assert_eq!(ran.returned(), n);
        let [(key, Some(value))] = ran.outcome.writes.as_slice() else {
            panic!("{:?}", ran.outcome.writes);
        };
        assert_eq!(
            (key.as_str(), value.get()),
            (format!("{step}/n").as_str(), n.to_string().as_str())
        );
    }
}

#[tokio::test]
async fn questions_name_the_step_that_asks() {
    let code = "export default { run() { return this.store.get('k') } }";
    let with_store = |name| {
        bound(
            module(name, code),
            "store",
            BindingKind::DataStore,
            json!("notes"),
        )
    };
    let steps = start(vec![with_store("one"), with_store("two")]).await;
    for step in ["one", "two"] {
        let id = steps.begin(
            &crate::support::input(step, &Value::Null),
            crate::support::PATIENCE,
        );
        let ProcessEvent::Asked(ask) = steps
            .event(|event| matches!(event, ProcessEvent::Asked(_)))
            .await
        else {
            unreachable!();
        };
        assert_eq!(
            (ask.module.as_str(), ask.op.as_str()),
            (step, "data_store.get")
        );
        let answer = to_raw_value(&[step]).map_err(|error| error.to_string());
        steps.process.answers().send([(ask.number, answer)]);
        assert_eq!(steps.ended(id).await.returned(), step);
    }
}

#[tokio::test]
async fn a_folder_is_there_to_write_to() {
    let code = "import fs from 'fs'; export default { run() { fs.writeFileSync(`${this.dir}/a`, 'x'); return fs.readFileSync(`${this.dir.path}/a`, 'utf8') } }";
    let step = bound(module("test", code), "dir", BindingKind::Dir, Value::Null);
    assert_eq!(
        start(vec![step])
            .await
            .run("test", Value::Null)
            .await
            .returned(),
        "x"
    );
}
