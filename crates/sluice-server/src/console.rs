//! The console: a page, which browsers get at every path outside the API, and the files that it loads.
//!
//! Responses of components may share its origin, so the page trusts nothing but its own files (see [`page`]).

mod page;

use std::path::{Path, PathBuf};

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, Uri};
use rust_embed::RustEmbed;
use sluice_infra::Ids;

use crate::{
    accept,
    error::ApiError,
    static_files::{FileRequest, Files, file_name},
};

const INDEX: &str = "index.html";
const BUILD_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/dist");

/// The files that `make ui` built, when this program was compiled; none if it did not run.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
// Texts only in their compressed forms.
#[exclude = "*.html"]
#[exclude = "*.js"]
#[exclude = "*.css"]
#[exclude = "*.svg"]
#[exclude = "*.json"]
#[allow_missing = true]
struct Embedded;

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
                None => Files::own(Embedded::get, BUILD_FOLDER, started_ms),
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
        let request = FileRequest { method, headers };
        if let Some(name) = name.filter(|name| *name != INDEX)
            && let Some(file) = request.respond(&self.files, name).await
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
}

fn is_api_path(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::{
        HeaderValue,
        header::{ACCEPT_RANGES, CACHE_CONTROL, IF_NONE_MATCH},
    };
    use sluice_model::ManualClock;

    use super::*;

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
