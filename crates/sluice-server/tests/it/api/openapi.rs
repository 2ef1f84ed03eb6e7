//! `/openapi.json`: the document describes every route, and changes only on purpose.

use std::{env, fs, path::Path};

use sluice_testkit::{api_document, routes};

use crate::support::new_user;

/// Set it to write the snapshot anew.
const UPDATE: &str = "SLUICE_UPDATE_SNAPSHOTS";
const SNAPSHOT: &str = "../../docs/openapi.json";

const ROUTES: [(&str, &str); 137] = [
    ("GET", "/v1/agent_access"),
    ("POST", "/v1/agent_access"),
    ("POST", "/v1/actions/run"),
    ("GET", "/v1/actions/runs"),
    ("GET", "/v1/actions/runs/{run_id}"),
    ("POST", "/v1/actions/runs/{run_id}/replay"),
    ("GET", "/v1/tools"),
    ("GET", "/v1/tools/{name}"),
    ("PUT", "/v1/tools/{name}"),
    ("DELETE", "/v1/tools/{name}"),
    ("POST", "/v1/tools/{name}/run"),
    ("GET", "/v1/audit"),
    ("PUT", "/v1/apps/{id_or_slug}/oauth_client"),
    ("POST", "/v1/session"),
    ("GET", "/v1/session"),
    ("DELETE", "/v1/session"),
    ("GET", "/v1/sign_in"),
    ("GET", "/v1/users/me"),
    ("PUT", "/v1/users/me"),
    ("POST", "/v1/users/me/rotate_key"),
    ("GET", "/v1/users/me/notifications"),
    ("PUT", "/v1/users/me/notifications"),
    ("POST", "/v1/users/me/notifications/rotate_secret"),
    ("POST", "/v1/users/me/notifications/test"),
    ("GET", "/v1/users/me/keys"),
    ("POST", "/v1/users/me/keys"),
    ("DELETE", "/v1/users/me/keys/{id}"),
    ("GET", "/v1/users/me/sessions"),
    ("DELETE", "/v1/users/me/sessions"),
    ("DELETE", "/v1/users/me/sessions/{id}"),
    ("GET", "/v1/users/me/activity"),
    ("GET", "/v1/users/me/overview"),
    ("GET", "/v1/users/me/traffic"),
    ("GET", "/v1/users/me/flow"),
    ("GET", "/v1/server"),
    ("POST", "/v1/users"),
    ("GET", "/v1/users"),
    ("PUT", "/v1/users/{id}"),
    ("DELETE", "/v1/users/{id}"),
    ("POST", "/v1/users/{id}/rotate_key"),
    ("POST", "/v1/signup"),
    ("POST", "/v1/components"),
    ("GET", "/v1/cluster"),
    ("GET", "/v1/components"),
    ("GET", "/v1/components/{key_or_id}"),
    ("GET", "/v1/components/registry/{key}"),
    ("POST", "/v1/components/registry"),
    ("DELETE", "/v1/components/registry/{key}"),
    ("POST", "/v1/components/registry/imports"),
    ("GET", "/v1/components/registry/imports"),
    ("DELETE", "/v1/components/registry/imports/{id}"),
    ("POST", "/v1/components/published"),
    ("DELETE", "/v1/components/published/{key}"),
    ("GET", "/v1/components/search"),
    ("POST", "/v1/components/configure"),
    ("POST", "/v1/components/props"),
    ("POST", "/v1/sources"),
    ("GET", "/v1/users/me/sources"),
    ("GET", "/v1/sources/{id}"),
    ("PUT", "/v1/sources/{id}"),
    ("DELETE", "/v1/sources/{id}"),
    ("POST", "/v1/sources/{id}/run"),
    ("GET", "/v1/sources/{id}/saved_events"),
    ("PUT", "/v1/sources/{id}/saved_events/{name}"),
    ("DELETE", "/v1/sources/{id}/saved_events/{name}"),
    ("GET", "/v1/sources/{id}/last_request"),
    ("GET", "/v1/sources/{id}/versions"),
    ("GET", "/v1/sources/{id}/versions/{number}"),
    ("POST", "/v1/sources/{id}/rollback"),
    ("GET", "/v1/sources/{id}/event_summaries"),
    ("GET", "/v1/sources/{id}/events"),
    ("DELETE", "/v1/sources/{id}/events"),
    ("GET", "/v1/sources/{id}/events/{event_id}"),
    ("POST", "/v1/sources/{id}/events/replay"),
    ("GET", "/v1/sources/{id}/logs"),
    ("POST", "/v1/subscriptions"),
    ("DELETE", "/v1/subscriptions"),
    ("GET", "/v1/users/me/subscriptions"),
    ("POST", "/v1/auto_subscriptions"),
    ("POST", "/v1/webhooks"),
    ("GET", "/v1/users/me/webhooks"),
    ("GET", "/v1/webhooks/{id}"),
    ("PUT", "/v1/webhooks/{id}"),
    ("DELETE", "/v1/webhooks/{id}"),
    ("POST", "/v1/webhooks/{id}/rotate_secret"),
    ("GET", "/v1/webhooks/{id}/deliveries"),
    ("POST", "/v1/webhooks/{id}/replay"),
    ("POST", "/v1/webhooks/{id}/retry"),
    ("GET", "/v1/deliveries"),
    ("GET", "/v1/deliveries/{id}"),
    ("GET", "/v1/traces/{id}"),
    ("POST", "/v1/deliveries/{id}/replay"),
    ("POST", "/v1/deliveries/replay"),
    ("GET", "/v1/sources/{id}/sse"),
    ("GET", "/v1/sse/dc/{id}/emits"),
    ("GET", "/v1/sse/dc/{id}/observations"),
    ("GET", "/v1/workflows/{id}/sse"),
    ("GET", "/v1/data_stores"),
    ("DELETE", "/v1/data_stores/{name}"),
    ("POST", "/v1/apps"),
    ("GET", "/v1/apps"),
    ("GET", "/v1/apps/{id_or_slug}"),
    ("DELETE", "/v1/apps/{id_or_slug}"),
    ("POST", "/v1/accounts"),
    ("GET", "/v1/accounts"),
    ("GET", "/v1/saved_filters"),
    ("POST", "/v1/saved_filters"),
    ("PUT", "/v1/saved_filters/{id}"),
    ("DELETE", "/v1/saved_filters/{id}"),
    ("GET", "/v1/accounts/{id}"),
    ("PUT", "/v1/accounts/{id}"),
    ("DELETE", "/v1/accounts/{id}"),
    ("GET", "/v1/accounts/{id}/uses"),
    ("POST", "/v1/accounts/connect"),
    ("GET", "/v1/accounts/connect/{id}"),
    ("POST", "/v1/accounts/connect/{id}/authorize"),
    ("GET", "/v1/workflows"),
    ("POST", "/v1/workflows"),
    ("POST", "/v1/workflows/test"),
    ("GET", "/v1/workflows/schema.json"),
    ("GET", "/v1/workflows/{id}"),
    ("PUT", "/v1/workflows/{id}"),
    ("DELETE", "/v1/workflows/{id}"),
    ("POST", "/v1/workflows/{id}/run"),
    ("GET", "/v1/workflows/{id}/saved_events"),
    ("PUT", "/v1/workflows/{id}/saved_events/{name}"),
    ("DELETE", "/v1/workflows/{id}/saved_events/{name}"),
    ("GET", "/v1/workflows/{id}/versions"),
    ("GET", "/v1/workflows/{id}/versions/{number}"),
    ("POST", "/v1/workflows/{id}/rollback"),
    ("GET", "/v1/workflows/{id}/runs"),
    ("POST", "/v1/workflows/{id}/runs/replay"),
    ("GET", "/v1/workflows/{id}/runs/{run_id}"),
    ("POST", "/v1/workflows/{id}/runs/{run_id}/replay"),
    ("GET", "/v1/workflows/{id}/event_summaries"),
    ("GET", "/v1/workflows/{id}/$errors/event_summaries"),
    ("GET", "/v1/workflows/{id}/events/{event_id}"),
];

#[tokio::test]
async fn the_document_lists_every_route() {
    let api = new_user().await;
    let mut listed = routes(&api_document(&api).await);
    let mut expected: Vec<_> = ROUTES
        .map(|(method, path)| (method.to_owned(), path.to_owned()))
        .to_vec();
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn every_route_documents_its_success_and_the_shared_errors() {
    let api = new_user().await;
    let document = api_document(&api).await;
    for (method, path) in routes(&document) {
        let responses = &document["paths"][&path][method.to_lowercase()]["responses"];
        let success = match (method.as_str(), path.rsplit('/').next()) {
            ("DELETE", Some("events")) => "202",
            ("DELETE", _) if !path.contains("/imports/") => "204",
            _ => "200",
        };
        for status in [
            success, "400", "401", "403", "404", "409", "413", "415", "422", "429", "500", "503",
        ] {
            assert!(responses[status].is_object(), "{method} {path} {status}");
        }
    }
}

#[tokio::test]
async fn the_document_is_the_snapshot() {
    let api = new_user().await;
    let document = api_document(&api).await;
    let served = serde_json::to_string_pretty(&document).expect("JSON") + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(SNAPSHOT);
    if env::var_os(UPDATE).is_some() {
        fs::write(&file, &served).expect("the snapshot can be written");
    }
    let snapshot = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        served == snapshot,
        "the API has changed: look at it, and run this with {UPDATE}=1 to accept it\n{served}"
    );
}
