//! What a person sees at the first start: the key, and the command that deploys a first source.

use sluice_model::ApiKey;

/// A component that fits on a command line: it emits what it is sent.
const FIRST_COMPONENT: &str = r#"module.exports = { name: "Hello", version: "0.0.1", props: { http: "$.interface.http" }, run(event) { this.$emit(event.body) } }"#;

pub(crate) fn first_start(url: &str, key: &ApiKey) -> String {
    let key = key.as_str();
    let body = serde_json::json!({ "component_code": FIRST_COMPONENT });
    format!(
        "\n  Sluice is ready at {url}\n\n  Your API key: {key}\n  GET /v1/users/me shows it again.\n\n  \
         Deploy a first source, which emits whatever is posted to its endpoint:\n\n  \
         curl {url}/v1/sources -H 'Authorization: Bearer {key}' \\\n    \
         -H 'Content-Type: application/json' \\\n    \
         -d '{body}'\n\n"
    )
}
