//! The console: a page, which a browser gets at every path that is not of the API, and the files it loads.
//!
//! What people deploy is on the same origin, so the page trusts nothing but its own files (see [`page`]).

mod accepting;
mod files;
mod page;

use std::path::PathBuf;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY},
};

use self::files::Files;
use crate::error::ApiError;

const INDEX: &str = "index.html";
/// Files below have a hash of their contents in their names.
const HASHED: &str = "assets/";
/// What stands beside a file in a compressed form, by preference.
const COMPRESSED: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

pub(crate) struct Console {
    files: Files,
}

impl Console {
    /// From a folder, or what belongs to this program.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        if let Some(folder) = &folder
            && !folder.join(INDEX).is_file()
        {
            let folder = folder.display();
            tracing::warn!("there is no {INDEX} in {folder}: until there is, there is no console");
        }
        Console {
            files: folder.map_or_else(Files::own, Files::Folder),
        }
    }

    /// The answer to a request that no route takes.
    pub(crate) async fn answer(
        &self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
    ) -> Response {
        if !matches!(*method, Method::GET | Method::HEAD) || is_of_the_api(path) {
            return ApiError::UnknownPath.into_response();
        }
        let name = file_name(path);
        if let Some(name) = name.filter(|name| *name != INDEX)
            && let Some(file) = self.file(name, headers).await
        {
            return file;
        }
        // The address that people are told is the console to everyone, be it a browser, a monitor or `curl`.
        if path == "/" || name == Some(INDEX) || accepting::is_navigation(headers) {
            return match self.files.get(INDEX).await {
                Some(html) => page::console(&html),
                None => page::without_console(),
            };
        }
        ApiError::UnknownPath.into_response()
    }

    async fn file(&self, name: &str, headers: &HeaderMap) -> Option<Response> {
        let plain = self.files.get(name).await?;
        let cache = if name.starts_with(HASHED) {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        let (encoding, content) = self.compressed(name, headers).await.unzip();
        let mut response = (
            header(CONTENT_TYPE, files::content_type(name)),
            header(CACHE_CONTROL, cache),
            header(VARY, "accept-encoding"),
            content.unwrap_or(plain),
        )
            .into_response();
        if let Some(encoding) = encoding {
            let encoding = HeaderValue::from_static(encoding);
            response.headers_mut().insert(CONTENT_ENCODING, encoding);
        }
        Some(response)
    }

    async fn compressed(&self, name: &str, headers: &HeaderMap) -> Option<(&'static str, Bytes)> {
        for (coding, suffix) in COMPRESSED {
            if accepting::takes_coding(headers, coding)
                && let Some(content) = self.files.get(&format!("{name}{suffix}")).await
            {
                return Some((coding, content));
            }
        }
        None
    }
}

fn header(name: HeaderName, value: &'static str) -> [(HeaderName, HeaderValue); 1] {
    [(name, HeaderValue::from_static(value))]
}

fn is_of_the_api(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}

/// The name of the file that a path may be for. Names are taken as they are written: none of ours needs escapes, and none leads
/// anywhere else.
fn file_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/')?;
    let is_plain = |part: &str| {
        let may_stand = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(may_stand)
    };
    let is_compressed = COMPRESSED.iter().any(|(_, suffix)| name.ends_with(suffix));
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

    #[test]
    fn everything_below_v1_is_of_the_api() {
        assert!(is_of_the_api("/v1") && is_of_the_api("/v1/sources"));
        assert!(!is_of_the_api("/v1x") && !is_of_the_api("/"));
    }
}
