//! A browser with a person in front of it: follows redirects, keeps cookies, logs in and agrees.

use std::collections::BTreeMap;

use sluice_testkit::{Answer, Api, Method};

use super::fixtures::form;

const MOST_STEPS: usize = 20;

pub(super) struct Browser {
    api: Api,
    cookies: BTreeMap<String, String>,
}

/// What the person does when asked to agree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Person {
    Agrees,
    Declines,
}

impl Browser {
    pub(super) fn new(api: &Api) -> Self {
        Self {
            api: api.clone(),
            cookies: BTreeMap::new(),
        }
    }

    /// Goes to a provider as `login`, and gives the address it sends the browser back to, unopened.
    pub(super) async fn visit(&mut self, connect_url: &str, login: &str, person: Person) -> String {
        let mut answer = self.send(Method::GET, connect_url, &[]).await;
        let mut here = connect_url.to_owned();
        for _ in 0..MOST_STEPS {
            let next = match answer.header("location") {
                Some(location) if location.contains("/oauth/callback") => {
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

    async fn send(&mut self, method: Method, url: &str, fields: &[(&str, String)]) -> Answer {
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut request = self
            .api
            .absolute(method.clone(), url)
            .header("cookie", &cookies.join("; "));
        if method == Method::POST {
            let fields: Vec<(&str, &str)> = fields
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            request = form(request, &fields);
        }
        let answer = request.send().await;
        for cookie in answer.headers.get_all("set-cookie") {
            let cookie = cookie.to_str().expect("text");
            let pair = cookie.split(';').next().unwrap_or_default();
            let (name, value) = pair.split_once('=').expect("a cookie");
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
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
    let origin_end = here
        .match_indices('/')
        .nth(2)
        .map_or(here.len(), |(end, _)| end);
    format!("{}{target}", &here[..origin_end])
}
