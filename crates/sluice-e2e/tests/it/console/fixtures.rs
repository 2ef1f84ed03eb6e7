//! A browser that is signed in, and a small console to serve to it.

use std::{fs, path::Path};

use serde_json::json;
use sluice_testkit::{Answer, Api, Method, Request, ServerInfo, shared, shared_folder};

use crate::support::own_server;

/// What a browser asks for when somebody goes to a page.
pub(super) const NAVIGATION: &str =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
pub(super) const INDEX: &str = "<!doctype html>\n<meta name=\"csp-nonce\" content=\"__CSP_NONCE__\">\n<script src=\"/assets/app-1a2b.js\"></script>\n";

/// Somebody who is signed in with a browser.
pub(super) struct Browser {
    pub(super) api: Api,
    /// The cookie as it is sent back.
    pub(super) cookie: String,
}

impl Browser {
    /// Signs the user of `api` in.
    pub(super) async fn sign_in(api: &Api) -> Browser {
        let answer = signing_in(api, api.key()).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        Browser {
            api: api.clone(),
            cookie: cookie_of(&answer),
        }
    }

    /// A request below `/v1` as any page could have the browser send it.
    pub(super) fn bare(&self, method: Method, path: &str) -> Request {
        self.api
            .root(method, &format!("/v1{path}"))
            .header("cookie", &self.cookie)
    }

    /// The same as the console sends it.
    pub(super) fn request(&self, method: Method, path: &str) -> Request {
        self.bare(method, path).header("x-sluice-console", "1")
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.request(Method::GET, path).send().await
    }
}

pub(super) async fn signing_in(api: &Api, key: &str) -> Answer {
    api.root(Method::POST, "/v1/session")
        .header("x-sluice-console", "1")
        .json(&json!({ "api_key": key }))
        .send()
        .await
}

/// Name and value of the cookie that an answer gives.
pub(super) fn cookie_of(answer: &Answer) -> String {
    let set = answer.header("set-cookie").expect("a cookie");
    set.split(';').next().expect("a value").to_owned()
}

/// Name and value of a cookie.
pub(super) fn name_and_value(cookie: &str) -> (&str, &str) {
    cookie.split_once('=').expect("a name and a value")
}

/// The parts of the policies of an answer.
pub(super) fn policies(answer: &Answer) -> Vec<&str> {
    let policies = answer.headers.get_all("content-security-policy").iter();
    policies
        .map(|value| value.to_str().expect("text"))
        .collect()
}

/// A server with a small console in a folder; shared by the tests that only read.
pub(super) fn with_console() -> &'static ServerInfo {
    shared("console", || {
        let folder = shared_folder("console");
        build_console(&folder.join("dist"));
        fs::write(folder.join("secret.txt"), "secret").expect("a file");
        own_server().arg("--console-dir").arg(folder.join("dist"))
    })
}

/// What a build leaves, in small.
pub(super) fn build_console(dist: &Path) {
    fs::create_dir_all(dist.join("assets")).expect("a folder");
    for (name, content) in [
        ("index.html", INDEX),
        ("index.html.br", "brotli"),
        ("favicon.svg", "<svg/>"),
        ("assets/app-1a2b.js", "let plain;"),
        ("assets/app-1a2b.js.br", "brotli"),
        ("assets/app-1a2b.js.gz", "gzip"),
        ("assets/app-1a2b.css", "a{}"),
        ("assets/app-1a2b.css.gz", "gzip"),
        ("assets/font-1a2b.woff2", "font"),
    ] {
        fs::write(dist.join(name), content).expect("a file");
    }
    std::os::unix::fs::symlink("../secret.txt", dist.join("link.txt")).expect("a link");
}
