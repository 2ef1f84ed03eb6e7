//! The documentation at `/docs`: the pages that `make docs` built. It needs no network, and its content security policy allows
//! only its own files.

use std::path::Path;

use axum::response::{IntoResponse, Redirect, Response};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_FRAME_OPTIONS},
};
use rust_embed::RustEmbed;
use sluice_infra::Ids;

use crate::{
    error::ApiError,
    html::{Forms, HtmlPage},
    static_files::{FileRequest, Files, file_name},
};

const PREFIX: &str = "/docs";
const BUILD_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/.vitepress/dist");
const INDEX: &str = "index.html";
const NOT_FOUND: &str = "404.html";
const NOT_BUILT: &str = "<p>This program was built without the documentation. Run <code>make docs</code>, and build it again. \
    The pages are in the folder <code>docs</code> of the repository, too.</p>";

/// The build keeps the pages within it (`docs/.vitepress/content-policy.mjs`).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types vue";

/// The files that `make docs` built, when this program was compiled; none if it did not run.
#[derive(RustEmbed)]
#[folder = "../../docs/.vitepress/dist"]
// Texts only in their compressed forms.
#[exclude = "*.html"]
#[exclude = "*.js"]
#[exclude = "*.css"]
#[exclude = "*.svg"]
#[exclude = "*.json"]
#[allow_missing = true]
struct Embedded;

/// Whether a path is that of a page or a file of the documentation.
pub(crate) fn is_below(path: &str) -> bool {
    let below = path.strip_prefix(PREFIX);
    below.is_some_and(|rest| rest.starts_with('/'))
}

pub(crate) struct Documentation {
    files: Files,
    ids: Ids,
}

impl Documentation {
    /// Serves the files of this program, which started at `started_ms`.
    pub(crate) fn new(started_ms: i64, ids: Ids) -> Documentation {
        Documentation {
            files: Files::own(Embedded::get, BUILD_FOLDER, started_ms),
            ids,
        }
    }

    pub(crate) async fn respond(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Response {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return ApiError::MethodNotAllowed.into_response();
        }
        let Some(path) = uri
            .path()
            .strip_prefix(PREFIX)
            .filter(|path| !path.is_empty())
        else {
            return Redirect::permanent("/docs/").into_response();
        };
        let request = FileRequest { method, headers };
        for name in names(path) {
            if let Some(response) = request.respond(&self.files, &name).await {
                return with_policy(response);
            }
        }
        self.not_found().await
    }

    async fn not_found(&self) -> Response {
        if let Ok(page) = self.files.read(Path::new(NOT_FOUND)).await {
            let html = HeaderValue::from_static("text/html; charset=utf-8");
            let no_store = HeaderValue::from_static("no-store");
            let headers = [(CONTENT_TYPE, html), (CACHE_CONTROL, no_store)];
            let page = (StatusCode::NOT_FOUND, headers, page.into_content());
            return with_policy(page.into_response());
        }
        let page = HtmlPage {
            status: StatusCode::NOT_FOUND,
            title: "Sluice was built without its documentation",
            content: NOT_BUILT.to_owned(),
            forms: Forms::None,
        };
        page.respond(&mut self.ids.rng())
    }
}

/// The files that a path may mean: `/a/` is `a/index.html`, and `/a` is `a` or `a.html`.
fn names(path: &str) -> Vec<String> {
    let folder = path.strip_suffix('/');
    let Some(name) = file_name(folder.unwrap_or(path)) else {
        let is_root = path == "/";
        return is_root.then(|| INDEX.to_owned()).into_iter().collect();
    };
    match folder {
        Some(_) => vec![format!("{name}/{INDEX}")],
        None => vec![name.to_owned(), format!("{name}.html")],
    }
}

fn with_policy(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    response
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use http::header::LOCATION;
    use sluice_model::ManualClock;

    use super::*;

    async fn get(documentation: &Documentation, path: &'static str) -> Response {
        let uri = Uri::from_static(path);
        documentation
            .respond(&Method::GET, &uri, &HeaderMap::new())
            .await
    }

    #[tokio::test]
    async fn pages_are_served_under_a_strict_policy() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["cli", "assets"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        for name in [
            "index.html",
            "404.html",
            "guide.html",
            "cli/index.html",
            "assets/a.js",
        ] {
            fs::write(folder.path().join(name), name).expect("a file");
        }
        let ids = Ids::seeded(Arc::new(ManualClock::new(0)), 1);
        let documentation = Documentation {
            files: Files::Folder(folder.path().to_owned()),
            ids,
        };
        for (path, status, kind) in [
            ("/docs/", 200, "text/html; charset=utf-8"),
            ("/docs/guide", 200, "text/html; charset=utf-8"),
            ("/docs/guide.html", 200, "text/html; charset=utf-8"),
            ("/docs/cli/", 200, "text/html; charset=utf-8"),
            ("/docs/assets/a.js", 200, "text/javascript; charset=utf-8"),
            ("/docs/missing", 404, "text/html; charset=utf-8"),
            ("/docs/../secret", 404, "text/html; charset=utf-8"),
        ] {
            let response = get(&documentation, path).await;
            assert_eq!(response.status(), status, "{path}");
            assert_eq!(response.headers()[CONTENT_TYPE], kind, "{path}");
            assert_eq!(
                response.headers()[CONTENT_SECURITY_POLICY],
                POLICY,
                "{path}"
            );
        }
        let root = get(&documentation, "/docs").await;
        assert_eq!(
            (root.status().as_u16(), &root.headers()[LOCATION]),
            (308, &HeaderValue::from_static("/docs/"))
        );
        let (uri, headers) = (Uri::from_static("/docs/"), HeaderMap::new());
        let posted = documentation.respond(&Method::POST, &uri, &headers);
        assert_eq!(posted.await.status(), 405);
    }

    #[test]
    fn paths_without_an_extension_are_pages() {
        assert_eq!(names("/"), ["index.html"]);
        assert_eq!(names("/cli/"), ["cli/index.html"]);
        assert_eq!(
            names("/guide/streams"),
            ["guide/streams", "guide/streams.html"]
        );
        assert_eq!(names("/assets/a.js"), ["assets/a.js", "assets/a.js.html"]);
        for path in ["//", "/../x", "/.git/config", "/a%2f..", "/a//"] {
            assert_eq!(names(path), Vec::<String>::new(), "{path}");
        }
    }
}
