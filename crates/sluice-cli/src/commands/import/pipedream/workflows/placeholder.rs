//! The step in place of one that was not imported. It fails, so that no run continues without it.

use serde_json::{Value, json};

pub(super) fn placeholder(name: &str, reason: &str) -> Value {
    let message = format!("The step {name} was not imported: {reason}. See REPORT.md.");
    let message = Value::from(message);
    let code = format!(
        "export default defineComponent({{\n  async run() {{\n    throw new Error({message});\n  }},\n}});\n"
    );
    json!({ "name": name, "code": code })
}
