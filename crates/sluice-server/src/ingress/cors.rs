//! Browsers may call an endpoint that answers by itself from any page. A component that answers for itself decides itself.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderValue, Method, Request, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
    },
};

const ANYONE: HeaderValue = HeaderValue::from_static("*");
const METHODS: HeaderValue = HeaderValue::from_static("GET,HEAD,PUT,PATCH,POST,DELETE");
const ONE_DAY: HeaderValue = HeaderValue::from_static("86400");

/// Whether a browser only asks what it may send.
pub(super) fn is_preflight(request: &Request<Body>) -> bool {
    request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

pub(crate) fn preflight_answer(headers: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let answer = response.headers_mut();
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    answer.insert(ACCESS_CONTROL_MAX_AGE, ONE_DAY);
    if let Some(requested) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, requested.clone());
    }
    open_to_all(response)
}

pub(crate) fn open_to_all(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANYONE);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: Method, headers: &[(&str, &str)]) -> Request<Body> {
        let mut request = Request::builder().method(method);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn only_options_that_ask_for_a_method_are_preflights() {
        let asks = [("access-control-request-method", "PUT")];
        assert!(is_preflight(&request(Method::OPTIONS, &asks)));
        assert!(!is_preflight(&request(Method::OPTIONS, &[])));
        assert!(!is_preflight(&request(Method::POST, &asks)));
    }

    #[test]
    fn a_preflight_is_granted_what_it_asks() {
        let asks = [("access-control-request-headers", "x-a, x-b")];
        let response = preflight_answer(request(Method::OPTIONS, &asks).headers());
        assert_eq!(response.status(), 204);
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        assert_eq!(
            response.headers()["access-control-allow-headers"],
            "x-a, x-b"
        );
    }
}
