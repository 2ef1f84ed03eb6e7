//! Server-sent events: the events and the log of a source as they come, and from where a reader left off.

mod addresses;
mod channels;
mod crowd;
mod ends;
mod large;
mod lines;
pub(crate) mod reader;
mod restarts;
mod resumption;
mod slow;

use serde_json::{Value, json};

use crate::support::Deployed;

/// Emits what its event asks for: `emits` is a list of `[data, metadata]`; `times` says how many numbers to emit; `log`
/// what to log.
const EMITTER: &str = r#"
module.exports = {
  name: "Emitter", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) {
    for (const [data, metadata] of event.emits ?? []) this.$emit(data, metadata);
    for (let n = 0; n < (event.times ?? 0); n++) this.$emit({ n, padding: "x".repeat(event.padding ?? 0) });
    for (const line of event.log ?? []) console.log(line);
    if (event.fail) throw new Error(event.fail);
    if (event.body) this.$emit(event.body);
  },
};"#;

async fn emit(source: &Deployed, data: &Value) {
    source.run(json!({ "emits": [[data]] })).await;
}

impl Deployed {
    /// How many events are kept.
    async fn total(&self) -> u64 {
        let page = self.api.get(&self.path("/event_summaries?limit=1")).await;
        let total = &page.expect(200)["page_info"]["total_count"];
        total.as_u64().expect("a number")
    }
}
