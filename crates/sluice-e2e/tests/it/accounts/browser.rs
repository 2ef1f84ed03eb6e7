//! A browser with a person in front of it: follows redirects, keeps cookies, logs in and agrees.

use std::collections::BTreeMap;

use serde_json::json;
use sluice_testkit::{Answer, Api, Method, Request};

use super::fixtures::{form, text};

const MOST_STEPS: usize = 20;
const CALLBACKS: [&str; 2] = ["/oauth/callback", "/oidc/callback"];

pub(crate) struct Browser {
    api: Api,
    /// Values by name and path. Ports of a host share them.
    cookies: BTreeMap<(String, String), String>,
}

/// What the person does when asked to agree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    Agrees,
    Declines,
}

impl Browser {
    /// A browser that is not signed in to the server of `api`.
    pub(crate) fn new(api: &Api) -> Self {
        Self {
            api: api.clone(),
            cookies: BTreeMap::new(),
        }
    }

    /// A browser in which the user of `api` is signed in to the console.
    pub(crate) async fn signed_in(api: &Api) -> Self {
        let mut browser = Browser::new(api);
        let request = api.root(Method::POST, "/v1/session");
        let request = request.json(&json!({ "api_key": api.key() }));
        let answer = browser.as_console(request, "/v1/session").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        browser
    }

    /// Confirms on the page of a `connect_url`, as the console does.
    pub(crate) async fn authorize(&mut self, connect_url: &str) -> Answer {
        let (_, id) = connect_url
            .split_once("/accounts/connect/")
            .expect("a page of the console");
        let path = format!("/v1/accounts/connect/{id}/authorize");
        let request = self.api.root(Method::POST, &path);
        self.as_console(request, &path).await
    }

    /// Confirms, and gives the address of the provider.
    pub(crate) async fn confirm(&mut self, connect_url: &str) -> String {
        text(&self.authorize(connect_url).await.ok()["authorization_url"])
    }

    /// Confirms, goes to the provider as `login`, and gives the address it sends the browser back to, unopened.
    pub(crate) async fn go(&mut self, connect_url: &str, login: &str, person: Person) -> String {
        let provider_url = self.confirm(connect_url).await;
        self.visit(&provider_url, login, person).await
    }

    /// Goes to a provider as `login`, and gives the address it sends the browser back to, unopened.
    pub(crate) async fn visit(&mut self, provider: &str, login: &str, person: Person) -> String {
        let mut answer = self.open(provider).await;
        let mut here = provider.to_owned();
        for _ in 0..MOST_STEPS {
            let next = match answer.header("location") {
                Some(location) if CALLBACKS.iter().any(|it| location.contains(it)) => {
                    return location.to_owned();
                }
                Some(location) => (Method::GET, absolute(&here, location), Vec::new()),
                None => fill_in(&answer, &here, login, person),
            };
            answer = self.send(next.0, &next.1, &next.2).await;
            here = next.1;
        }
        panic!("still not back after {MOST_STEPS} steps: {}", answer.text);
    }

    pub(crate) async fn open(&mut self, url: &str) -> Answer {
        self.send(Method::GET, url, &[]).await
    }

    async fn as_console(&mut self, request: Request, path: &str) -> Answer {
        let request = request.header("x-sluice-console", "1");
        self.with_cookies(request, path).await
    }

    async fn send(&mut self, method: Method, url: &str, fields: &[(&str, String)]) -> Answer {
        let mut request = self.api.absolute(method.clone(), url);
        if method == Method::POST {
            let fields: Vec<(&str, &str)> = fields
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            request = form(request, &fields);
        }
        let origin = origin_end(url);
        self.with_cookies(request, &url[origin..]).await
    }

    /// Sends the cookies of a path, and keeps those of the answer.
    async fn with_cookies(&mut self, request: Request, path: &str) -> Answer {
        let sent = self
            .cookies
            .iter()
            .filter(|((_, below), _)| path.starts_with(below.as_str()));
        let sent: Vec<String> = sent
            .map(|((name, _), value)| format!("{name}={value}"))
            .collect();
        let answer = request.header("cookie", &sent.join("; ")).send().await;
        for cookie in answer.headers.get_all("set-cookie") {
            self.keep(cookie.to_str().expect("text"));
        }
        answer
    }

    fn keep(&mut self, cookie: &str) {
        let mut parts = cookie.split(';').map(str::trim);
        let pair = parts.next().unwrap_or_default();
        let (name, value) = pair.split_once('=').expect("a cookie");
        let path = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.eq_ignore_ascii_case("path").then_some(value)
        });
        let place = (name.to_owned(), path.unwrap_or("/").to_owned());
        if value.is_empty() {
            self.cookies.remove(&place);
        } else {
            self.cookies.insert(place, value.to_owned());
        }
    }
}

/// What the person does with a page: logs in, agrees, or cancels.
fn fill_in(
    page: &Answer,
    here: &str,
    login: &str,
    person: Person,
) -> (Method, String, Vec<(&'static str, String)>) {
    assert_eq!(page.status, 200, "{}", page.text);
    if person == Person::Declines {
        let cancel = attribute(&page.text, "href=\"", "/abort\"");
        return (
            Method::GET,
            absolute(here, &format!("{cancel}/abort")),
            Vec::new(),
        );
    }
    let action = absolute(here, &attribute(&page.text, "action=\"", "\""));
    let fields = if page.text.contains("value=\"login\"") {
        vec![
            ("prompt", "login".to_owned()),
            ("login", login.to_owned()),
            ("password", "any".to_owned()),
        ]
    } else {
        vec![("prompt", "consent".to_owned())]
    };
    (Method::POST, action, fields)
}

/// What stands between `before` and the next `after`.
fn attribute(page: &str, before: &str, after: &str) -> String {
    let found = page.split(before).skip(1).find_map(|rest| {
        let (value, _) = rest.split_once(after)?;
        (!value.contains('"')).then(|| value.to_owned())
    });
    found.unwrap_or_else(|| panic!("no {before} in {page}"))
}

fn absolute(here: &str, target: &str) -> String {
    if target.starts_with("http") {
        return target.to_owned();
    }
    format!("{}{target}", &here[..origin_end(here)])
}

fn origin_end(url: &str) -> usize {
    let slash = url.match_indices('/').nth(2);
    slash.map_or(url.len(), |(end, _)| end)
}
