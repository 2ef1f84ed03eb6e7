//! CORS for paths that pages of any origin may call.
//!
//! Endpoints that respond immediately and callbacks of runs are such paths. A component with custom responses sets the headers
//! itself.

use std::{convert::Infallible, sync::LazyLock, time::Duration};

use axum::{body::Body, extract::Request, middleware::Next, response::Response};
use futures_util::FutureExt;
use http::{
    HeaderValue, Method, StatusCode,
    header::{ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_REQUEST_METHOD},
};
use tower::{Layer, ServiceExt, service_fn};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

const MAX_AGE: Duration = Duration::from_hours(24);
const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");

static POLICY: LazyLock<CorsLayer> = LazyLock::new(|| {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::PUT,
            Method::PATCH,
            Method::POST,
            Method::DELETE,
        ])
        .allow_headers(AllowHeaders::mirror_request())
        .max_age(MAX_AGE)
        // Only the response to a preflight varies, and caches do not store responses to OPTIONS.
        .vary(Vec::new())
});

/// [`allow_any_origin`] for routes.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    allow_any_origin(request, |request| next.clone().run(request)).await
}

/// Answers a preflight. For any other request it calls `respond` and allows every origin to read the response.
pub(crate) async fn allow_any_origin<F>(
    request: Request,
    mut respond: impl FnMut(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    if !is_preflight(&request) {
        let mut response = respond(request).await;
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
        return response;
    }
    let respond = |request| respond(request).map(Ok::<_, Infallible>);
    let mut response = match POLICY.layer(service_fn(respond)).oneshot(request).await {
        Ok(response) => response,
        Err(infallible) => match infallible {},
    };
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

fn is_preflight(request: &Request<Body>) -> bool {
    request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use axum::response::IntoResponse;

    use super::*;

    /// The response, and whether the handler was called for it.
    async fn answer(method: Method, headers: &[(&str, &str)]) -> (Response, bool) {
        let mut request = Request::builder().method(method);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let called = Cell::new(false);
        let response = allow_any_origin(request.body(Body::empty()).unwrap(), async |_| {
            called.set(true);
            [("access-control-allow-origin", "https://a.example")].into_response()
        });
        let response = response.await;
        (response, called.get())
    }

    #[tokio::test]
    async fn only_options_with_a_requested_method_is_a_preflight() {
        let asks = [("access-control-request-method", "PUT")];
        for (method, headers, handled) in [
            (Method::OPTIONS, &asks[..], false),
            (Method::OPTIONS, &[], true),
            (Method::POST, &asks, true),
            (Method::GET, &[], true),
        ] {
            let (response, called) = answer(method, headers).await;
            assert_eq!(called, handled);
            assert_eq!(response.status(), if called { 200 } else { 204 });
            let origins = response.headers().get_all("access-control-allow-origin");
            assert_eq!(origins.iter().collect::<Vec<_>>(), ["*"]);
            assert!(!response.headers().contains_key("vary"));
        }
    }

    #[tokio::test]
    async fn a_preflight_is_granted_the_headers_that_it_requests() {
        let asks = [
            ("access-control-request-method", "PUT"),
            ("access-control-request-headers", "x-a, x-b"),
        ];
        let (response, _) = answer(Method::OPTIONS, &asks).await;
        for (name, value) in [
            (
                "access-control-allow-methods",
                "GET,HEAD,PUT,PATCH,POST,DELETE",
            ),
            ("access-control-allow-headers", "x-a, x-b"),
            ("access-control-max-age", "86400"),
        ] {
            assert_eq!(response.headers()[name], value, "{name}");
        }
    }
}
