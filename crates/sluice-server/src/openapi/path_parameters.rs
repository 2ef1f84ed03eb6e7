//! Descriptions and examples of the variable segments of paths.

use serde_json::{Value, json};

use super::operations::operations;

/// A path up to a variable segment, and the description and an example of that segment.
const SEGMENTS: [(&str, &str, &str); 21] = [
    (
        "/v1/accounts/connect/{id}",
        "The id of a connection",
        "con_7aXbQ2",
    ),
    ("/v1/accounts/{id}", "The id of an account", "apn_V1hMeLM"),
    (
        "/v1/apps/{id_or_slug}",
        "The id or the slug of an app",
        "github",
    ),
    (
        "/v1/components/published/{key}",
        "The key of a published component",
        "acme-new-order",
    ),
    (
        "/v1/components/registry/imports/{id}",
        "The id of an import",
        "imp_4tRwq1",
    ),
    (
        "/v1/components/registry/{key}",
        "The key of a component of the registry",
        "acme-new-order",
    ),
    (
        "/v1/components/{key_or_id}",
        "The id or the key of a saved component",
        "sc_JDi8EB",
    ),
    (
        "/v1/data_stores/{name}",
        "The name of a data store",
        "customers",
    ),
    (
        "/v1/deliveries/{id}",
        "The id of a delivery",
        "dlv_00VbMOOL6001p0rx0m0TG9wSfa3abc123",
    ),
    (
        "/v1/saved_filters/{id}",
        "The id of a saved filter",
        "flt_a1B2c3",
    ),
    ("/v1/sources/{id}", "The id of a source", "dc_K0uAee"),
    (
        "/v1/sources/{id}/events/{event_id}",
        "The id of an event",
        "1606370816223-0",
    ),
    ("/v1/sse/dc/{id}", "The id of a source", "dc_K0uAee"),
    (
        "/v1/users/me/keys/{id}",
        "The id of a named key",
        "key_w3Tn8a",
    ),
    (
        "/v1/users/me/sessions/{id}",
        "The id of a session",
        "ses_p0Lk2d",
    ),
    (
        "/v1/traces/{id}",
        "The id of a part of the trace",
        "00VbMOOL6001p0rx0m0TG9wSfa3",
    ),
    ("/v1/users/{id}", "The id of a user", "u_Aiot2b"),
    ("/v1/webhooks/{id}", "The id of a webhook", "wh_abc123"),
    (
        "/v1/workflows/{id}",
        "The id or the slug of a workflow",
        "p_3qCgb2",
    ),
    (
        "/v1/workflows/{id}/events/{event_id}",
        "The id of an event",
        "1606370816223-0",
    ),
    (
        "/v1/workflows/{id}/runs/{run_id}",
        "The id of a run",
        "00VbMOOL6001p0rx0m0TG9wSfa3",
    ),
];

/// Describes the segments whose handler does not. The number of a version has its own description.
pub(super) fn describe(document: &mut Value) {
    for (_, path, operation) in operations(document) {
        let parameters = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let segment = format!("{{{name}}}");
            let Some(at) = path.find(&segment) else {
                continue;
            };
            let start = &path[..at + segment.len()];
            let Some((_, description, example)) = SEGMENTS.iter().find(|row| row.0 == start) else {
                continue;
            };
            if parameter.get("description").is_none() {
                parameter["description"] = json!(description);
            }
            parameter["example"] = json!(example);
        }
    }
}
