//! A source that does as it is told, and the sums of what was counted.

use serde_json::{Value, json};
use sluice_testkit::{Api, wait_for};

use crate::support::{Deployed, PATIENCE, deploy_with};

/// Emits `[data, metadata]` pairs, and then throws when it is told to.
pub(super) const OBEDIENT: &str = r#"module.exports = {
  name: "Obedient", version: "0.0.1", props: { http: "$.interface.http" },
  run({ emits = [], fails = false }) {
    for (const [data, metadata] of emits) this.$emit(data, metadata);
    if (fails) throw new Error("as told");
  },
};"#;

/// A step that fails when its event says so, and emits otherwise.
pub(super) const FLOW: &str = r#"
name: Flow
steps:
  - name: only
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          if (steps.trigger.event.fail) throw new Error("as told");
          $.send.emit({ raw_event: 1 });
          $.send.sse({ channel: "c", payload: 1 });
        },
      })
"#;

pub(super) async fn obedient(api: &Api) -> Deployed {
    deploy_with(api, OBEDIENT, json!({})).await
}

/// An obedient source with a name.
pub(super) async fn named(api: &Api, name: &str) -> Deployed {
    let body = json!({ "component_code": OBEDIENT, "name": name });
    let source = api.post("/sources", &body).await.ok();
    Deployed {
        api: api.clone(),
        id: source["id"].as_str().expect("an id").to_owned(),
        source,
    }
}

/// All numbers of one kind together: a test may be under way when an hour begins.
pub(super) fn sum(numbers: &Value) -> u64 {
    let numbers = numbers.as_array().expect("numbers");
    numbers
        .iter()
        .map(|number| number.as_u64().expect("a number"))
        .sum()
}

/// Events, errors and invocations.
pub(super) fn sums(activity: &Value) -> (u64, u64, u64) {
    (
        sum(&activity["events"]),
        sum(&activity["errors"]),
        sum(&activity["invocations"]),
    )
}

pub(super) async fn activity(api: &Api, query: &str) -> Value {
    api.get(&format!("/users/me/activity?{query}")).await.ok()
}

/// Waits until so many events, errors and invocations are counted in the account, and gives its activity.
pub(super) async fn counted(api: &Api, expected: (u64, u64, u64)) -> Value {
    wait_for(
        PATIENCE,
        &format!("{expected:?} to be counted"),
        async || {
            let activity = activity(api, "").await;
            (sums(&activity) == expected).then_some(activity)
        },
    )
    .await
}
