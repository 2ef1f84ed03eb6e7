//! The scope that each path of the API needs. Only named keys are checked: main keys and sessions have every scope.

use axum::extract::MatchedPath;
use http::request::Parts;
use sluice_model::{Scope, Scopes};

use crate::error::ApiError;

/// What a named key needs for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// No key at all.
    Nothing,
    /// Any key.
    Key,
    Scope(Scope),
    /// `run`, or `deploy`, which can run any code.
    Run,
    /// `read`, `deploy` and `operate`: the response has a main key of another user.
    Every,
    /// The main key or a session.
    MainKey,
}

use Need::{Every, Key, MainKey, Nothing};

const READ: Need = Need::Scope(Scope::Read);
const DEPLOY: Need = Need::Scope(Scope::Deploy);
const OPERATE: Need = Need::Scope(Scope::Operate);

/// By method and path. HEAD is as GET.
const NEEDS: &[(&str, &str, Need)] = &[
    ("POST", "/v1/session", Nothing),
    ("GET", "/v1/session", Key),
    ("DELETE", "/v1/session", Key),
    ("POST", "/v1/signup", Nothing),
    ("GET", "/v1/sign_in", Nothing),
    // Users, keys and sessions
    ("GET", "/v1/users/me", Key),
    ("PUT", "/v1/users/me", OPERATE),
    ("POST", "/v1/users/me/rotate_key", MainKey),
    ("GET", "/v1/users/me/keys", OPERATE),
    ("POST", "/v1/users/me/keys", OPERATE),
    ("DELETE", "/v1/users/me/keys/{id}", OPERATE),
    ("GET", "/v1/users/me/sessions", OPERATE),
    ("DELETE", "/v1/users/me/sessions", OPERATE),
    ("DELETE", "/v1/users/me/sessions/{id}", OPERATE),
    ("GET", "/v1/users/me/notifications", OPERATE),
    ("PUT", "/v1/users/me/notifications", OPERATE),
    ("POST", "/v1/users/me/notifications/rotate_secret", OPERATE),
    ("POST", "/v1/users/me/notifications/test", OPERATE),
    ("GET", "/v1/users", OPERATE),
    ("POST", "/v1/users", Every),
    ("PUT", "/v1/users/{id}", OPERATE),
    ("DELETE", "/v1/users/{id}", OPERATE),
    ("POST", "/v1/users/{id}/rotate_key", Every),
    ("GET", "/v1/audit", OPERATE),
    // The server
    ("GET", "/v1/server", OPERATE),
    ("GET", "/v1/cluster", OPERATE),
    // Overviews
    ("GET", "/v1/users/me/activity", READ),
    ("GET", "/v1/users/me/overview", READ),
    ("GET", "/v1/users/me/flow", READ),
    ("GET", "/v1/users/me/traffic", READ),
    // Saved filters
    ("GET", "/v1/saved_filters", READ),
    ("POST", "/v1/saved_filters", DEPLOY),
    ("PUT", "/v1/saved_filters/{id}", DEPLOY),
    ("DELETE", "/v1/saved_filters/{id}", DEPLOY),
    // Components and the registry
    ("GET", "/v1/components", READ),
    ("POST", "/v1/components", DEPLOY),
    ("GET", "/v1/components/{key_or_id}", READ),
    ("GET", "/v1/components/search", READ),
    ("POST", "/v1/components/configure", DEPLOY),
    ("POST", "/v1/components/props", DEPLOY),
    ("POST", "/v1/components/published", DEPLOY),
    ("DELETE", "/v1/components/published/{key}", DEPLOY),
    ("GET", "/v1/components/registry/{key}", READ),
    ("POST", "/v1/components/registry", OPERATE),
    ("DELETE", "/v1/components/registry/{key}", OPERATE),
    ("GET", "/v1/components/registry/imports", OPERATE),
    ("POST", "/v1/components/registry/imports", OPERATE),
    ("DELETE", "/v1/components/registry/imports/{id}", OPERATE),
    // Sources
    ("POST", "/v1/sources", DEPLOY),
    ("GET", "/v1/users/me/sources", READ),
    ("GET", "/v1/sources/{id}", READ),
    ("PUT", "/v1/sources/{id}", DEPLOY),
    ("DELETE", "/v1/sources/{id}", DEPLOY),
    ("POST", "/v1/sources/{id}/run", DEPLOY),
    ("GET", "/v1/sources/{id}/saved_events", READ),
    ("PUT", "/v1/sources/{id}/saved_events/{name}", DEPLOY),
    ("DELETE", "/v1/sources/{id}/saved_events/{name}", DEPLOY),
    ("GET", "/v1/sources/{id}/last_request", READ),
    ("GET", "/v1/sources/{id}/versions", READ),
    ("GET", "/v1/sources/{id}/versions/{number}", READ),
    ("POST", "/v1/sources/{id}/rollback", DEPLOY),
    ("GET", "/v1/sources/{id}/event_summaries", READ),
    ("GET", "/v1/sources/{id}/events", READ),
    ("DELETE", "/v1/sources/{id}/events", DEPLOY),
    ("GET", "/v1/sources/{id}/events/{event_id}", READ),
    ("POST", "/v1/sources/{id}/events/replay", DEPLOY),
    ("GET", "/v1/sources/{id}/logs", READ),
    ("GET", "/v1/sources/{id}/sse", READ),
    ("GET", "/v1/sse/dc/{id}/emits", READ),
    ("GET", "/v1/sse/dc/{id}/observations", READ),
    ("GET", "/sources/{id}/sse", READ),
    ("GET", "/sse/dc/{id}/emits", READ),
    ("GET", "/sse/dc/{id}/observations", READ),
    // Subscriptions, webhooks and deliveries
    ("POST", "/v1/subscriptions", DEPLOY),
    ("DELETE", "/v1/subscriptions", DEPLOY),
    ("POST", "/v1/auto_subscriptions", DEPLOY),
    ("GET", "/v1/users/me/subscriptions", READ),
    ("POST", "/v1/webhooks", DEPLOY),
    ("GET", "/v1/users/me/webhooks", READ),
    ("GET", "/v1/webhooks/{id}", READ),
    ("PUT", "/v1/webhooks/{id}", DEPLOY),
    ("DELETE", "/v1/webhooks/{id}", DEPLOY),
    ("POST", "/v1/webhooks/{id}/rotate_secret", DEPLOY),
    ("GET", "/v1/webhooks/{id}/deliveries", READ),
    ("POST", "/v1/webhooks/{id}/replay", DEPLOY),
    ("POST", "/v1/webhooks/{id}/retry", DEPLOY),
    ("GET", "/v1/deliveries", READ),
    ("GET", "/v1/deliveries/{id}", READ),
    ("GET", "/v1/traces/{id}", READ),
    ("POST", "/v1/deliveries/{id}/replay", DEPLOY),
    ("POST", "/v1/deliveries/replay", DEPLOY),
    // Data stores, apps and accounts
    ("GET", "/v1/data_stores", READ),
    ("DELETE", "/v1/data_stores/{name}", DEPLOY),
    ("GET", "/v1/apps", READ),
    ("POST", "/v1/apps", OPERATE),
    ("GET", "/v1/apps/{id_or_slug}", READ),
    ("DELETE", "/v1/apps/{id_or_slug}", OPERATE),
    ("PUT", "/v1/apps/{id_or_slug}/oauth_client", OPERATE),
    ("GET", "/v1/accounts", READ),
    ("POST", "/v1/accounts", DEPLOY),
    // With credentials it needs `deploy`, which its handler checks.
    ("GET", "/v1/accounts/{id}", READ),
    ("PUT", "/v1/accounts/{id}", DEPLOY),
    ("DELETE", "/v1/accounts/{id}", DEPLOY),
    ("GET", "/v1/accounts/{id}/uses", READ),
    ("POST", "/v1/accounts/connect", DEPLOY),
    ("GET", "/v1/accounts/connect/{id}", READ),
    ("POST", "/v1/accounts/connect/{id}/authorize", DEPLOY),
    // Access of AI applications: named keys do not give it.
    ("GET", "/v1/agent_access", MainKey),
    ("POST", "/v1/agent_access", MainKey),
    // Actions
    ("POST", "/v1/actions/run", DEPLOY),
    ("GET", "/v1/actions/runs", READ),
    ("GET", "/v1/actions/runs/{run_id}", READ),
    ("POST", "/v1/actions/runs/{run_id}/replay", DEPLOY),
    // Tools
    ("GET", "/v1/tools", READ),
    ("GET", "/v1/tools/{name}", READ),
    ("PUT", "/v1/tools/{name}", DEPLOY),
    ("DELETE", "/v1/tools/{name}", DEPLOY),
    ("POST", "/v1/tools/{name}/run", Need::Run),
    // Workflows
    ("GET", "/v1/workflows", READ),
    ("GET", "/v1/users/me/workflows", READ),
    ("POST", "/v1/workflows", DEPLOY),
    ("POST", "/v1/workflows/test", DEPLOY),
    // The workflow with the slug `test`.
    ("GET", "/v1/workflows/test", READ),
    ("PUT", "/v1/workflows/test", DEPLOY),
    ("DELETE", "/v1/workflows/test", DEPLOY),
    ("GET", "/v1/workflows/schema.json", Nothing),
    ("GET", "/v1/workflows/{id}", READ),
    ("PUT", "/v1/workflows/{id}", DEPLOY),
    ("DELETE", "/v1/workflows/{id}", DEPLOY),
    ("POST", "/v1/workflows/{id}/run", DEPLOY),
    ("GET", "/v1/workflows/{id}/saved_events", READ),
    ("PUT", "/v1/workflows/{id}/saved_events/{name}", DEPLOY),
    ("DELETE", "/v1/workflows/{id}/saved_events/{name}", DEPLOY),
    ("GET", "/v1/workflows/{id}/versions", READ),
    ("GET", "/v1/workflows/{id}/versions/{number}", READ),
    ("POST", "/v1/workflows/{id}/rollback", DEPLOY),
    ("GET", "/v1/workflows/{id}/runs", READ),
    ("POST", "/v1/workflows/{id}/runs/replay", DEPLOY),
    ("GET", "/v1/workflows/{id}/runs/{run_id}", READ),
    ("POST", "/v1/workflows/{id}/runs/{run_id}/replay", DEPLOY),
    ("GET", "/v1/workflows/{id}/event_summaries", READ),
    ("GET", "/v1/workflows/{id}/$errors/event_summaries", READ),
    ("GET", "/v1/workflows/{id}/%24errors/event_summaries", READ),
    ("GET", "/v1/workflows/{id}/events/{event_id}", READ),
    // The stream of a workflow is public, as its id is unguessable.
    ("GET", "/v1/workflows/{id}/sse", Nothing),
];

/// Fails unless a named key with these scopes may make the request.
pub(crate) fn check(parts: &Parts, scopes: Scopes) -> Result<(), ApiError> {
    let path = parts.extensions.get().map_or("", MatchedPath::as_str);
    check_path(&parts.method, path, scopes)
}

fn check_path(method: &http::Method, path: &str, scopes: Scopes) -> Result<(), ApiError> {
    match need(method.as_str(), path) {
        Some(Nothing | Key) => Ok(()),
        Some(Need::Scope(scope)) => require(scopes, scope),
        Some(Need::Run) if scopes.has(Scope::Deploy) => Ok(()),
        Some(Need::Run) => require(scopes, Scope::Run),
        // A path that the table lacks is closed to keys that are limited.
        Some(Every) | None => [Scope::Read, Scope::Deploy, Scope::Operate]
            .into_iter()
            .try_for_each(|scope| require(scopes, scope)),
        Some(MainKey) => Err(ApiError::Forbidden(
            "a named API key cannot do this: use your main key, or the console",
        )),
    }
}

pub(crate) fn require(scopes: Scopes, scope: Scope) -> Result<(), ApiError> {
    if scopes.has(scope) {
        Ok(())
    } else {
        Err(ApiError::MissingScope(scope))
    }
}

/// The roles of a key that an operation needs, for the `OpenAPI` document; none if it needs no key at all.
pub(crate) fn roles(method: &str, path: &str) -> Option<Vec<&'static str>> {
    match need(method, path) {
        Some(Nothing) => None,
        Some(Key) => Some(Vec::new()),
        Some(Need::Scope(scope)) => Some(vec![scope.as_str()]),
        Some(Need::Run) => Some(vec![Scope::Run.as_str()]),
        Some(Every) | None => Some(vec!["read", "deploy", "operate"]),
        Some(MainKey) => Some(vec!["main_key"]),
    }
}

fn need(method: &str, path: &str) -> Option<Need> {
    let method = if method == "HEAD" { "GET" } else { method };
    let row = NEEDS.iter().find(|row| (row.0, row.1) == (method, path));
    row.map(|row| row.2)
}

#[cfg(test)]
pub(crate) fn allows(method: &http::Method, path: &str, scopes: Scopes) -> bool {
    check_path(method, path, scopes).is_ok()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_path_of_the_document_has_a_need() {
        let document = crate::openapi();
        let paths = document["paths"].as_object().unwrap();
        for (path, operations) in paths {
            for (method, operation) in operations.as_object().unwrap() {
                let need = need(&method.to_uppercase(), path);
                assert!(need.is_some(), "{method} {path} is not in the table");
                let is_public = operation["security"] == serde_json::json!([]);
                assert_eq!(is_public, need == Some(Nothing), "{method} {path}");
            }
        }
    }

    #[test]
    fn no_request_is_in_the_table_twice() {
        let requests: HashSet<_> = NEEDS.iter().map(|row| (row.0, row.1)).collect();
        assert_eq!(requests.len(), NEEDS.len());
    }

    #[test]
    fn only_reads_need_no_more_than_read() {
        for (method, path, need) in NEEDS {
            assert!(*need != READ || *method == "GET", "{method} {path}");
        }
    }
}
