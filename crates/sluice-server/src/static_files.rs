//! Serving files that were built with this program: the console and the documentation.

mod files;

use axum::{body::Body, response::Response};
use http::{
    HeaderMap, HeaderValue, Method, Request, StatusCode, Uri,
    header::{
        ACCEPT_ENCODING, ACCEPT_RANGES, CACHE_CONTROL, CONTENT_TYPE, IF_MODIFIED_SINCE,
        IF_NONE_MATCH, VARY,
    },
};
use tower_http::services::ServeDir;

pub(crate) use self::files::Files;
use crate::accept;

/// Names of files in this folder contain a hash of the content.
const HASHED: &str = "assets/";
const COMPRESSED: [&str; 2] = [".br", ".gz"];

/// A request for a file.
pub(crate) struct FileRequest<'a> {
    pub(crate) method: &'a Method,
    pub(crate) headers: &'a HeaderMap,
}

impl FileRequest<'_> {
    /// The response with the file of this name, compressed if the client accepts that. `None` if there is no such file.
    pub(crate) async fn respond(&self, files: &Files, name: &str) -> Option<Response> {
        let mut serve_dir = ServeDir::with_backend("", files.clone())
            .append_index_html_on_directories(false)
            .precompressed_br()
            .precompressed_gzip();
        let uri = Uri::try_from(format!("/{name}")).ok()?;
        let request = self.of_file(uri);
        let response = serve_dir.try_call(request).await.ok()?;
        if response.status() == StatusCode::NOT_FOUND {
            return None;
        }
        let mut response = response.map(Body::new);
        set_headers(response.headers_mut(), name);
        Some(response)
    }

    /// The request with the headers that decide which form of a file is sent. Ranges and other preconditions are not
    /// supported: their errors would have no JSON body.
    fn of_file(&self, uri: Uri) -> Request<Body> {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri;
        for name in [IF_NONE_MATCH, IF_MODIFIED_SINCE] {
            if let Some(value) = self.headers.get(&name) {
                request.headers_mut().insert(name, value.clone());
            }
        }
        if let Some(codings) = accept::codings(self.headers) {
            request.headers_mut().insert(ACCEPT_ENCODING, codings);
        }
        request
    }
}

fn set_headers(headers: &mut HeaderMap, name: &str) {
    let cache = if name.starts_with(HASHED) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.remove(ACCEPT_RANGES);
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    if let Some(text) = content_type.filter(|content_type| content_type.starts_with("text/"))
        && let Ok(text) = HeaderValue::try_from(format!("{text}; charset=utf-8"))
    {
        headers.insert(CONTENT_TYPE, text);
    }
}

/// The name of the file that a path may be for. Paths are not decoded, because no name of ours needs escapes, and none leads
/// out of the folder.
pub(crate) fn file_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/')?;
    let is_plain = |part: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_allowed)
    };
    let is_compressed = COMPRESSED.iter().any(|suffix| name.ends_with(suffix));
    (name.split('/').all(is_plain) && !is_compressed).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_files() {
        assert_eq!(file_name("/favicon.svg"), Some("favicon.svg"));
        assert_eq!(file_name("/assets/a-B_1.js"), Some("assets/a-B_1.js"));
        for path in [
            "/",
            "//etc/passwd",
            "/../Cargo.toml",
            "/assets/../../x",
            "/assets/..%2fx",
            "/assets//x",
            "/.git/config",
            "/a\\b",
            "/C:/x",
            "/a%00",
            "/assets/a.js.br",
            "/assets/a.js.gz",
            "*",
        ] {
            assert_eq!(file_name(path), None, "{path}");
        }
    }
}
