//! Where a browser that goes to a page gets the console, and where it does not.

use sluice_testkit::{Answer, Api, Method, Server, scratch_folder};

use super::fixtures::{NAVIGATION, policies, with_console};
use crate::{
    api::fixtures::{EMITTER, refused},
    support::{deploy, own_server},
};

async fn navigate(api: &Api, path: &str) -> Answer {
    let request = api.root(Method::GET, path).header("accept", NAVIGATION);
    request.send().await
}

#[track_caller]
fn nonce(answer: &Answer) -> String {
    let content = answer.text.split("content=\"").nth(1).expect("a nonce");
    content.split('"').next().expect("a nonce").to_owned()
}

#[tokio::test]
async fn every_path_that_is_not_of_the_api_is_the_console_to_a_browser() {
    let api = with_console().api();
    for path in [
        "/",
        "/?x=1",
        "/sources",
        "/sources/",
        "/sources/dc_x/events",
        "/sources?action=create&key=k",
        "/workflows/p_x",
        "/assets/gone-1a2b.js",
        "/e",
        "/index.html",
    ] {
        let answer = navigate(&api, path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert!(
            answer.text.contains("app-1a2b.js"),
            "{path}: {}",
            answer.text
        );
        assert_eq!(
            answer.header("content-type"),
            Some("text/html; charset=utf-8")
        );
    }
    let request = api.root(Method::HEAD, "/sources");
    let answer = request.header("accept", NAVIGATION).send().await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
}

#[tokio::test]
async fn the_address_itself_is_the_console_to_everyone() {
    let api = with_console().api();
    for accept in ["*/*", "application/json"] {
        let request = api.root(Method::GET, "/").header("accept", accept);
        let answer = request.send().await;
        assert_eq!(answer.status, 200, "{accept}: {}", answer.text);
        assert!(answer.text.contains("app-1a2b.js"), "{}", answer.text);
    }
}

#[tokio::test]
async fn everything_else_is_told_that_there_is_nothing() {
    let api = with_console().api();
    for path in ["/v1", "/v1/", "/v1/nothing", "/v1/sources/x/y/z"] {
        refused(navigate(&api, path).await, 404);
    }
    for accept in ["*/*", "application/json", "text/*", "text/html;q=0"] {
        for path in ["/sources", "/assets/gone-1a2b.js"] {
            let request = api.root(Method::GET, path).header("accept", accept);
            refused(request.send().await, 404);
        }
    }
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        let request = api.root(method, "/sources").header("accept", NAVIGATION);
        refused(request.send().await, 404);
    }
}

#[tokio::test]
async fn routes_of_the_server_are_there_for_browsers_too() {
    let api = with_console().api();
    let source = deploy(&api, EMITTER).await;
    for (path, status, content_type) in [
        ("/healthz", 200, "text/plain; charset=utf-8"),
        ("/openapi.json", 200, "application/json"),
        ("/workflows/schema.json", 200, "application/schema+json"),
        ("/oauth/callback", 400, "text/html; charset=utf-8"),
        ("/sources/dc_x/sse", 401, "application/json"),
        ("/uploads/x", 404, "application/json"),
        ("/e/x", 404, "application/json"),
        ("/v1/users/me", 401, "application/json"),
        ("/workflows/resume/x", 404, "text/html; charset=utf-8"),
    ] {
        let answer = navigate(&api, path).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
        assert_eq!(answer.header("content-type"), Some(content_type), "{path}");
        assert!(!answer.text.contains("app-1a2b.js"), "{path}");
    }
    let request = api.absolute(Method::GET, source.endpoint());
    let answer = request.header("accept", NAVIGATION).send().await;
    assert!(answer.expect(200)["id"].is_string());
}

#[tokio::test]
async fn the_page_may_load_nothing_that_is_not_its_own_and_is_never_kept_or_framed() {
    let answer = navigate(&with_console().api(), "/").await;
    let nonce = nonce(&answer);
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         style-src-attr 'unsafe-hashes' 'sha256-iaOezIDcQIoxCULa6FBKKuLUu09R7kG+Mlu+JVfU3Rw='; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types svelte-trusted-html"
    );
    assert_eq!(policies(&answer), [policy]);
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin-allow-popups"),
        (
            "permissions-policy",
            "camera=(), microphone=(), geolocation=()",
        ),
        ("x-frame-options", "DENY"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
}

#[tokio::test]
async fn each_answer_has_a_nonce_of_its_own() {
    let api = with_console().api();
    let nonces = [
        nonce(&navigate(&api, "/").await),
        nonce(&navigate(&api, "/").await),
        nonce(&navigate(&api, "/index.html").await),
    ];
    assert!(nonces.iter().all(|nonce| nonce.len() == 32), "{nonces:?}");
    assert_ne!(nonces[0], nonces[1]);
    assert_ne!(nonces[1], nonces[2]);
}

#[tokio::test]
async fn without_a_build_a_page_says_how_to_make_one() {
    let folder = scratch_folder();
    let options = own_server().arg("--console-dir").arg(folder.path());
    let server = Server::start(options).await;
    for path in ["/", "/sources/dc_x"] {
        let answer = navigate(&server.api(), path).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        for words in ["make run", "make ui", "cargo build", "the API"] {
            assert!(answer.text.contains(words), "{words}: {}", answer.text);
        }
        let nonce = answer.text.split("<style nonce=\"").nth(1);
        let nonce = nonce.and_then(|rest| rest.split('"').next());
        let policy = format!(
            "default-src 'none'; style-src 'nonce-{}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
            nonce.expect("a nonce")
        );
        assert_eq!(policies(&answer), [policy]);
    }
    refused(server.api().root(Method::GET, "/sources").send().await, 404);
    refused(navigate(&server.api(), "/v1/nothing").await, 404);
    let logs = server.logs();
    let folder = folder.path().display().to_string();
    let is_warning = |line: &str| {
        let parts = ["console folder has no page", "index.html", &folder];
        parts.iter().all(|part| line.contains(part))
    };
    assert!(logs.lines().any(is_warning), "{logs}");
}

#[tokio::test]
async fn every_answer_of_the_api_forbids_guessing_its_type() {
    let api = with_console().api();
    for path in [
        "/v1/users/me",
        "/v1/nothing",
        "/healthz",
        "/openapi.json",
        "/nothing",
    ] {
        let answer = api.root(Method::GET, path).send().await;
        let options = answer.header("x-content-type-options");
        assert_eq!(options, Some("nosniff"), "{path}");
    }
}
