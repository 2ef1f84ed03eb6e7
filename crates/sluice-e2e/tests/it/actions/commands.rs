//! `sluice actions` and `sluice tools`.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, sluice_binary};
use tokio::process::Command;

use super::fixtures::{ECHO, action, publish};
use crate::support::{new_user, shared_server};

/// A finished command.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

async fn sluice(api: &Api, args: &[&str]) -> Ran {
    let output = Command::new(sluice_binary())
        .args(args)
        .env("SLUICE_URL", shared_server(Backend::Sqlite).url())
        .env("SLUICE_API_KEY", api.key())
        .output()
        .await
        .expect("the binary starts");
    Ran {
        code: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

#[tokio::test]
async fn a_run_prints_its_value_and_is_listed() {
    let api = new_user().await;
    let key = publish(&api, ECHO).await;
    let ran = sluice(&api, &["actions", "run", &key, "--prop", "text=hi"]).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let value: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(value, json!({ "text": "hi", "count": 2, "token": null }));
    assert!(ran.err.contains("echo hi"), "{}", ran.err);

    let listed = sluice(&api, &["actions", "runs", "--json"]).await;
    let runs: Value = serde_json::from_str(&listed.out).expect("JSON");
    let id = runs[0]["id"].as_str().expect("an id");
    let shown = sluice(&api, &["actions", "runs", id]).await;
    assert!(
        shown.out.contains(&key) && shown.out.contains("said hi"),
        "{}",
        shown.out
    );
    let again = sluice(&api, &["actions", "replay", id]).await;
    assert_eq!(again.code, 0, "{}", again.err);
}

#[tokio::test]
async fn a_failed_action_has_exit_code_1_and_its_stack_on_standard_error() {
    let api = new_user().await;
    let key = publish(
        &api,
        &action("throw new RangeError('too far');")
            .replace("version:", "key: \"test-fails\", version:"),
    )
    .await;
    let ran = sluice(&api, &["actions", "run", &key]).await;
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(ran.err.contains("RangeError: too far"), "{}", ran.err);
}

#[tokio::test]
async fn tools_are_enabled_listed_and_disabled() {
    let api = new_user().await;
    let key = publish(&api, ECHO).await;
    let args = [
        "tools", "enable", &key, "--name", "say", "--prop", "count=7",
    ];
    let enabled = sluice(&api, &args).await;
    assert_eq!(enabled.code, 0, "{}", enabled.err);
    let listed = sluice(&api, &["tools", "list"]).await;
    assert!(
        listed.out.contains("say") && listed.out.contains("count"),
        "{}",
        listed.out
    );
    let disabled = sluice(&api, &["tools", "disable", "say"]).await;
    assert_eq!(disabled.code, 0, "{}", disabled.err);
    let gone = sluice(&api, &["tools", "disable", "say"]).await;
    assert_eq!(gone.code, 5, "{}", gone.err);
}
