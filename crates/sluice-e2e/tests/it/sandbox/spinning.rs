//! Code that never gives way is stopped, wherever it stands.

use rstest::rstest;
use serde_json::json;

use super::{Witness, manual, tight_user};
use crate::support::deploy;

#[rstest]
#[case::a_loop("for (;;);")]
#[case::microtasks("for (;;) await null;")]
#[case::ticks("const again = () => process.nextTick(again); again(); await new Promise(() => {});")]
#[case::a_regular_expression("/^(a+)+$/.test('a'.repeat(40) + 'b');")]
#[tokio::test]
async fn an_invocation_that_spins_is_stopped(#[case] body: &str) {
    let api = tight_user().await;
    let witness = Witness::deploy(&api).await;
    let code = manual(&format!(
        "if (!event.fail) return this.$emit('fine'); {body}"
    ));
    let source = deploy(&api, &code).await;
    source.run(json!({ "fail": true })).await;
    witness.answers(2).await;
    assert_eq!(source.errors(1).await[0]["error"]["code"], "Timeout");
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["fine"]);
    witness.answers(3).await;
}

#[tokio::test]
async fn code_that_spins_at_load_or_in_a_hook_fails_its_request() {
    let api = tight_user().await;
    let witness = Witness::deploy(&api).await;
    let at_load = json!({ "component_code": "for (;;);" });
    let answer = api.post("/sources", &at_load).await.expect(422);
    assert!(
        answer.to_string().contains("loading took longer than 3 s"),
        "{answer}"
    );
    let code = "module.exports = { name: 'Hook', version: '1', run() {}, hooks: { deploy() { for (;;); } } };";
    let in_hook = json!({ "component_code": code });
    let answer = api.post("/sources", &in_hook).await.expect(422);
    assert_eq!(answer["error"], "observation error", "{answer}");
    witness.answers(2).await;
}
