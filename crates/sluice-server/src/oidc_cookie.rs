//! The cookies of a browser that signs in with OpenID Connect: its attempt, and the reason why it failed.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use cookie::{Cookie, SameSite, time::Duration};
use http::{HeaderMap, HeaderValue};
use sluice_app::App;
use sluice_infra::Infra;

use crate::cookies::only_value;

/// The prefix of the names, followed by an id of the server, as for sessions.
pub(crate) const PREFIX: &str = "sluice_oidc";
/// The only path that needs the attempt.
const CALLBACK: &str = "/oidc/callback";
/// The only path that needs the reason.
const OPTIONS: &str = "/v1/sign_in";
/// As long as an attempt.
const MAX_AGE: Duration = Duration::minutes(10);
/// Until the page that the browser goes to has asked for it.
const REASON_MAX_AGE: Duration = Duration::minutes(1);

/// The cookies of one server.
pub(crate) struct OidcCookies {
    attempt: String,
    reason: String,
    secure: bool,
}

impl OidcCookies {
    pub(crate) fn of(app: &App, infra: &Infra) -> Self {
        let mark = app.sessions.server_mark();
        OidcCookies {
            attempt: format!("{PREFIX}_{mark}"),
            reason: format!("{PREFIX}_error_{mark}"),
            secure: infra.settings.public_url.starts_with("https://"),
        }
    }

    pub(crate) fn attempt(&self, headers: &HeaderMap) -> Option<String> {
        only_value(headers, &self.attempt)
    }

    /// The provider sends the browser back, which a strict cookie would not survive.
    pub(crate) fn begin(&self, attempt: &str) -> HeaderValue {
        self.set(&self.attempt, attempt, CALLBACK, MAX_AGE)
    }

    pub(crate) fn end(&self) -> HeaderValue {
        self.set(&self.attempt, "", CALLBACK, Duration::ZERO)
    }

    /// Why the last attempt of this browser failed.
    pub(crate) fn reason(&self, headers: &HeaderMap) -> Option<String> {
        let encoded = only_value(headers, &self.reason)?;
        let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(encoded).ok()?);
        text.ok().filter(|text| !text.is_empty())
    }

    /// The reason is in a cookie, not in the address: a link could have the sign-in page show any text.
    pub(crate) fn fail(&self, reason: &str) -> HeaderValue {
        let encoded = BASE64_URL_SAFE_NO_PAD.encode(reason);
        self.set(&self.reason, &encoded, OPTIONS, REASON_MAX_AGE)
    }

    pub(crate) fn forget_reason(&self) -> HeaderValue {
        self.set(&self.reason, "", OPTIONS, Duration::ZERO)
    }

    fn set(&self, name: &str, value: &str, path: &'static str, max_age: Duration) -> HeaderValue {
        let cookie = Cookie::build((name, value))
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(self.secure)
            .path(path)
            .max_age(max_age);
        HeaderValue::try_from(cookie.to_string()).expect("names and values are plain characters")
    }
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;

    use super::*;

    fn cookies(secure: bool) -> OidcCookies {
        OidcCookies {
            attempt: "sluice_oidc_ab12".to_owned(),
            reason: "sluice_oidc_error_ab12".to_owned(),
            secure,
        }
    }

    #[test]
    fn each_path_gets_its_own_cookie() {
        assert_eq!(
            cookies(false).begin("a+/b"),
            "sluice_oidc_ab12=a+/b; HttpOnly; SameSite=Lax; Path=/oidc/callback; Max-Age=600"
        );
        assert_eq!(
            cookies(true).end(),
            "sluice_oidc_ab12=; HttpOnly; SameSite=Lax; Secure; Path=/oidc/callback; Max-Age=0"
        );
        assert_eq!(
            cookies(false).forget_reason(),
            "sluice_oidc_error_ab12=; HttpOnly; SameSite=Lax; Path=/v1/sign_in; Max-Age=0"
        );
    }

    #[test]
    fn a_reason_of_any_text_comes_back() {
        let text = "Ünï; said: \"no\"";
        let set = cookies(false).fail(text);
        let pair = set.to_str().unwrap().split(';').next().unwrap().to_owned();
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::try_from(pair).unwrap());
        assert_eq!(cookies(false).reason(&headers).as_deref(), Some(text));
    }
}
