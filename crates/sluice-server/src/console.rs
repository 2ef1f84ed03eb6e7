//! The console: a page, which browsers get at every path outside the API, and the files that it loads.
//!
//! Responses of components may share its origin, so the page trusts nothing but its own files (see [`page`]).

mod files;
mod page;

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderValue, Method, Request, StatusCode, Uri,
    header::{
        ACCEPT_ENCODING, ACCEPT_RANGES, CACHE_CONTROL, CONTENT_TYPE, IF_MODIFIED_SINCE,
        IF_NONE_MATCH, VARY,
    },
};
use sluice_infra::Ids;
use tower_http::services::ServeDir;

use self::files::Files;
use crate::{accept, error::ApiError};

const INDEX: &str = "index.html";
/// Names of files in this folder contain a hash of the content.
const HASHED: &str = "assets/";
const COMPRESSED: [&str; 2] = [".br", ".gz"];

pub(crate) struct Console {
    files: Files,
    ids: Ids,
}

impl Console {
    /// Serves the folder, or the files of this program, which started at `started_ms`.
    pub(crate) fn new(folder: Option<PathBuf>, started_ms: i64, ids: Ids) -> Self {
        if let Some(folder) = &folder
            && !folder.join(INDEX).is_file()
        {
            let folder = folder.display();
            tracing::warn!(%folder, file = INDEX, "console folder has no page");
        }
        Console {
            files: match folder {
                Some(folder) => Files::Folder(folder),
                None => Files::own(system_time(started_ms)),
            },
            ids,
        }
    }

    /// The response to a request that has no route.
    pub(crate) async fn respond(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Response {
        let path = uri.path();
        if !matches!(*method, Method::GET | Method::HEAD) || is_api_path(path) {
            return ApiError::UnknownPath.into_response();
        }
        let name = file_name(path);
        if let Some(name) = name.filter(|name| *name != INDEX)
            && let Some(file) = self.file(name, method, uri, headers).await
        {
            return file;
        }
        // The root is the console for every client: browsers, monitors and `curl`.
        if path == "/" || name == Some(INDEX) || accept::is_navigation(headers) {
            let index = self.files.read(Path::new(INDEX)).await;
            let rng = &mut self.ids.rng();
            return match index {
                Ok(html) => page::console(&html.into_content(), rng),
                Err(_) => page::without_console(rng),
            };
        }
        ApiError::UnknownPath.into_response()
    }

    async fn file(
        &self,
        name: &str,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Option<Response> {
        let mut serve_dir = ServeDir::with_backend("", self.files.clone())
            .append_index_html_on_directories(false)
            .precompressed_br()
            .precompressed_gzip();
        let request = file_request(method, uri, headers);
        let response = serve_dir.try_call(request).await.ok()?;
        if response.status() == StatusCode::NOT_FOUND {
            return None;
        }
        let mut response = response.map(Body::new);
        set_headers(response.headers_mut(), name);
        Some(response)
    }
}

/// The request with the headers that decide which form of a file is sent. Ranges and other preconditions are not supported:
/// their errors would have no JSON body.
fn file_request(method: &Method, uri: &Uri, headers: &HeaderMap) -> Request<Body> {
    let mut request = Request::new(Body::empty());
    *request.method_mut() = method.clone();
    *request.uri_mut() = uri.clone();
    for name in [IF_NONE_MATCH, IF_MODIFIED_SINCE] {
        if let Some(value) = headers.get(&name) {
            request.headers_mut().insert(name, value.clone());
        }
    }
    if let Some(codings) = accept::codings(headers) {
        request.headers_mut().insert(ACCEPT_ENCODING, codings);
    }
    request
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

fn system_time(epoch_ms: i64) -> SystemTime {
    let since_epoch = Duration::from_millis(u64::try_from(epoch_ms).unwrap_or_default());
    SystemTime::UNIX_EPOCH + since_epoch
}

fn is_api_path(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}

/// The name of the file that a path may be for. Paths are not decoded, because no name of ours needs escapes, and none leads
/// out of the folder.
fn file_name(path: &str) -> Option<&str> {
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
    use std::sync::Arc;

    use sluice_model::ManualClock;

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

    #[test]
    fn everything_below_v1_is_the_api() {
        assert!(is_api_path("/v1") && is_api_path("/v1/sources"));
        assert!(!is_api_path("/v1x") && !is_api_path("/"));
    }

    /// A console in a folder whose script has a compressed form.
    fn console() -> (tempfile::TempDir, Console) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("assets")).unwrap();
        for (name, content) in [
            ("index.html", "<html>"),
            ("icon.svg", "<svg/>"),
            ("assets/a.js", "let a;"),
            ("assets/a.js.br", "br"),
        ] {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let ids = Ids::seeded(Arc::new(ManualClock::new(0)), 1);
        let console = Console::new(Some(folder.path().to_owned()), 0, ids);
        (folder, console)
    }

    async fn get(console: &Console, path: &'static str, headers: &HeaderMap) -> Response {
        let uri = Uri::from_static(path);
        console.respond(&Method::GET, &uri, headers).await
    }

    #[tokio::test]
    async fn a_file_is_not_sent_again_while_it_is_unchanged() {
        let (folder, console) = console();
        let first = get(&console, "/icon.svg", &HeaderMap::new()).await;
        assert_eq!(first.status(), 200);
        let headers = HeaderMap::from_iter([(IF_NONE_MATCH, first.headers()["etag"].clone())]);
        let second = get(&console, "/icon.svg", &headers).await;
        assert_eq!(second.status(), 304);
        assert_eq!(second.headers()[CACHE_CONTROL], "no-cache");
        std::fs::write(folder.path().join("icon.svg"), "<svg></svg>").unwrap();
        let third = get(&console, "/icon.svg", &headers).await;
        assert_eq!(third.status(), 200);
    }

    #[tokio::test]
    async fn ranges_are_ignored() {
        let (_folder, console) = console();
        let range = |value| HeaderMap::from_iter([(http::header::RANGE, value)]);
        for value in ["bytes=1-2", "bytes=9-8", "bytes=900-", "x"] {
            let headers = range(HeaderValue::from_static(value));
            let response = get(&console, "/assets/a.js", &headers).await;
            assert_eq!(response.status(), 200, "{value}");
            assert!(!response.headers().contains_key(ACCEPT_RANGES));
        }
    }
}
