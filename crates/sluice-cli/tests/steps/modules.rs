//! Several modules in one process.

use serde_json::{Value, json};
use sluice_runtime::{LoadError, ModuleSpec};
use sluice_testkit::receiver::{Answer, Receiver};

use crate::{
    packages::{installed, package},
    support::{component, module, start, try_start, workflow},
};

fn with_package(name: &str, code: &str, greeting: &str) -> ModuleSpec {
    let lock = package("greeting", &format!("module.exports = {greeting:?};"));
    ModuleSpec {
        packages: Some(lock),
        ..module(name, code)
    }
}

#[tokio::test]
async fn each_step_has_its_own_packages() {
    let imports = "import greeting from 'greeting'; export default { run() { return greeting } }";
    let requires = "async () => require('greeting')";
    let steps = start(vec![
        with_package("one", imports, "hello"),
        with_package("two", imports, "goodbye"),
        with_package("three", requires, "hi"),
        module("none", "async () => { try { return require('greeting') } catch (error) { return error.code } }"),
    ])
    .await;
    for (step, greeting) in [
        ("one", "hello"),
        ("two", "goodbye"),
        ("three", "hi"),
        ("none", "MODULE_NOT_FOUND"),
    ] {
        assert_eq!(steps.run(step, Value::Null).await.returned(), greeting);
    }
}

#[tokio::test]
async fn steps_share_a_process_and_nothing_else() {
    let count = "let n = 0; export default { run() { n += 1; globalThis.seen = (globalThis.seen ?? 0) + 1; return [n, globalThis.seen] } }";
    let steps = start(vec![module("one", count), module("two", count)]).await;
    assert_eq!(
        steps.run("one", Value::Null).await.returned(),
        json!([1, 1])
    );
    assert_eq!(
        steps.run("one", Value::Null).await.returned(),
        json!([2, 2])
    );
    assert_eq!(
        steps.run("two", Value::Null).await.returned(),
        json!([1, 3])
    );
}

#[tokio::test]
async fn processes_that_run_code_have_no_stand_ins_for_packages() {
    let code = "export default { run() { return Object.getOwnPropertyNames(globalThis).filter((name) => /standin/i.test(name)) } }";
    let steps = start(vec![module("one", code)]).await;
    assert_eq!(steps.run("one", Value::Null).await.returned(), json!([]));
}

#[tokio::test]
async fn a_step_that_does_not_load_is_named() {
    let sound = module("one", &component(""));
    let broken = module(
        "two",
        "\nthrow new RangeError('not today')\nexport default {}",
    );
    let Err(LoadError::Code(faults)) = try_start(&workflow(vec![sound, broken])).await else {
        panic!("it must not load");
    };
    assert_eq!(faults[0].message, "step two: RangeError: not today");
    assert_eq!((faults[0].line, faults[0].column), (Some(2), Some(7)));
}

#[tokio::test]
async fn stacks_name_the_file_of_their_step() {
    let code = "export default {\n  run() {\n    throw new Error('oh') } }";
    let steps = start(vec![module("fetch", code), module("forward", code)]).await;
    for step in ["fetch", "forward"] {
        let ran = steps.run(step, Value::Null).await;
        let stack = &ran.failure().stack;
        assert!(stack.contains(&format!("({step}.mjs:3:11)")), "{stack}");
        assert!(!stack.contains("file://"), "{stack}");
    }
}

#[tokio::test]
async fn a_step_that_is_not_there_fails_and_the_process_lives_on() {
    let steps = start(vec![module("one", &component("return 1"))]).await;
    let ran = steps.run("gone", Value::Null).await;
    assert_eq!(ran.failure().message, "there is no step gone");
    assert_eq!(steps.run("one", Value::Null).await.returned(), 1);
}

#[tokio::test]
async fn the_axios_of_the_platform_package_takes_what_steps_have() {
    let server = Receiver::start(|request| {
        let status = if request.path == "/fine" { 200 } else { 418 };
        Answer::status(status).body(r#"{"said":"hello"}"#)
    });
    let code = "import { axios } from '@pipedream/platform';
        export default { async run({ steps, $ }) { return axios($, { url: steps.trigger.event }) } }";
    let step = ModuleSpec {
        packages: Some(installed("@pipedream/platform")),
        ..module("test", code)
    };
    let steps = start(vec![step]).await;
    let ran = steps.run("test", json!(server.url("/fine"))).await;
    assert_eq!(ran.returned()["said"], "hello");
    let ran = steps.run("test", json!(server.url("/refused"))).await;
    assert!(
        ran.failure().name.starts_with("AxiosError"),
        "{:?}",
        ran.failure()
    );
    assert_eq!(ran.exports()["debug"]["status"], 418);
}
