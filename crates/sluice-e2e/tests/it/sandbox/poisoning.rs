//! Poisoned built-in objects: what the harness reports stays true, or the poisoner fails; nobody else notices.

use rstest::rstest;
use serde_json::json;

use super::{Witness, tight_user};
use crate::support::deploy;

#[rstest]
#[case::json("JSON.stringify = () => '{}'; JSON.parse = () => ({});")]
#[case::object(
    "Object.prototype.name = 'poison'; Object.prototype.i = 'x'; Object.prototype.$auth = 1;"
)]
#[case::array(
    "Array.prototype.push = () => { throw new Error('push'); }; Array.prototype.map = () => []; Array.prototype.join = () => 'x';"
)]
#[case::iterators("Array.prototype[Symbol.iterator] = function* () { yield 'x'; };")]
#[case::map(
    "Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => { throw new Error('map'); };"
)]
#[case::string(
    "String.prototype.split = () => []; String.prototype.replaceAll = () => 'x'; String.prototype.slice = () => 'x'; String.prototype.lastIndexOf = () => -1;"
)]
#[case::promise("Promise.prototype.then = () => { throw new Error('then'); };")]
#[case::text(
    "TextEncoder.prototype.encode = () => new Uint8Array(0); TextDecoder.prototype.decode = () => '';"
)]
#[case::globals(
    "globalThis.queueMicrotask = () => {}; globalThis.setTimeout = () => {}; Deno.stdout.writeSync = () => 0; Deno.exit = () => {};"
)]
#[case::typed_arrays("Uint8Array.prototype.subarray = () => new Uint8Array(0);")]
#[tokio::test]
async fn a_poisoner_harms_itself_alone(#[case] poison: &str) {
    let api = tight_user().await;
    let witness = Witness::deploy(&api).await;
    let code = format!(
        "module.exports = {{ name: 'Poisoner', version: '1', run(event) {{ if (event.poison) {{ {poison} }} this.$emit({{ n: event.n }}); }} }};"
    );
    let source = deploy(&api, &code).await;
    source.run(json!({ "n": 1, "poison": true })).await;
    source.run(json!({ "n": 2 })).await;
    // Whatever became of it, what it is reported to have emitted is what it emitted, or it is reported as failed.
    sluice_testkit::wait_for(
        std::time::Duration::from_mins(1),
        "both to end",
        async || {
            let failed = source
                .api
                .get(&source.path("/event_summaries?event_name=$errors"))
                .await
                .expect(200);
            let failed = failed["page_info"]["total_count"]
                .as_u64()
                .unwrap_or_default();
            (source.summaries().await.len() as u64 + failed >= 2).then_some(())
        },
    )
    .await;
    for summary in source.summaries().await {
        let event = &summary["event"];
        assert!(
            [json!({ "n": 1 }), json!({ "n": 2 })].contains(event),
            "{event}"
        );
    }
    witness.answers(2).await;
}
