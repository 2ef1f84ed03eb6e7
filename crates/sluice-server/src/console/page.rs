//! The page of the console. Its content security policy allows only the console's own files.

use axum::response::{IntoResponse, Response};
use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS,
    },
};
use rand::{CryptoRng, RngExt};

use crate::html::{Forms, HtmlPage};

/// The built page has this in place of the nonce of each response.
const PLACEHOLDER: &str = "__CSP_NONCE__";
/// `display: contents;`, in the markup of the command palette. No other style attribute is allowed.
const CONTENTS_STYLE: &str = "sha256-iaOezIDcQIoxCULa6FBKKuLUu09R7kG+Mlu+JVfU3Rw=";
const WITHOUT_CONSOLE: &str = include_str!("without_console.html");

const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    ),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // Providers of accounts open in a window of their own, which reports its result to this one.
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin-allow-popups"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), microphone=(), geolocation=()"),
    ),
];

/// The built page.
pub(super) fn console(html: &[u8], rng: &mut impl CryptoRng) -> Response {
    let nonce = format!("{:032x}", rng.random::<u128>());
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         style-src-attr 'unsafe-hashes' '{CONTENTS_STYLE}'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types svelte-trusted-html"
    );
    let policy = HeaderValue::try_from(policy).expect("the policy is visible ASCII");
    let html = String::from_utf8_lossy(html).replace(PLACEHOLDER, &nonce);
    (HEADERS, [(CONTENT_SECURITY_POLICY, policy)], html).into_response()
}

/// The page of a program that was built without the console.
pub(super) fn without_console(rng: &mut impl CryptoRng) -> Response {
    let page = HtmlPage {
        status: StatusCode::OK,
        title: "Sluice is running, without its console",
        content: WITHOUT_CONSOLE.to_owned(),
        forms: Forms::None,
    };
    page.respond(rng)
}
