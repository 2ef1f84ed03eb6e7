//! The cookie of a browser in which a user agreed to connect an account. Providers must send that browser back.

use cookie::{Cookie, SameSite, time::Duration};
use http::{HeaderMap, HeaderValue};
use sluice_app::App;
use sluice_infra::Infra;
use sluice_model::SessionToken;

use crate::cookies::only_value;

/// The prefix of the name, followed by an id of the server, as for sessions.
pub(crate) const PREFIX: &str = "sluice_connect";
/// The only path that needs it.
const PATH: &str = "/oauth/callback";
/// As long as a connection.
const MAX_AGE: Duration = Duration::minutes(10);

/// The cookie of one server.
pub(crate) struct ConnectCookie {
    name: String,
    secure: bool,
}

impl ConnectCookie {
    pub(crate) fn of(app: &App, infra: &Infra) -> Self {
        ConnectCookie {
            name: format!("{PREFIX}_{}", app.sessions.server_mark()),
            secure: infra.settings.public_url.starts_with("https://"),
        }
    }

    /// The browser of a request.
    pub(crate) fn browser(&self, headers: &HeaderMap) -> Option<String> {
        only_value(headers, &self.name)
    }

    /// The `set-cookie` for a browser. Other sites send the browser back, which a strict cookie would not survive.
    pub(crate) fn set(&self, browser: &str) -> HeaderValue {
        let cookie = Cookie::build((&self.name, browser))
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(self.secure)
            .path(PATH)
            .max_age(MAX_AGE);
        HeaderValue::try_from(cookie.to_string()).expect("names and values are hexadecimal digits")
    }
}

/// The browser of a session. It is the same for all connections of a session, so that several can be open at once, and it does
/// not reveal the token.
pub(crate) fn browser_of(token: &SessionToken, infra: &Infra) -> String {
    let text = format!("browser of session {}", token.as_str());
    infra.vault.fingerprint(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_callback_gets_the_cookie() {
        let set = |secure| {
            let name = "sluice_connect_ab12".to_owned();
            let value = ConnectCookie { name, secure }.set("0a1b");
            value.to_str().unwrap().to_owned()
        };
        let plain =
            "sluice_connect_ab12=0a1b; HttpOnly; SameSite=Lax; Path=/oauth/callback; Max-Age=600";
        assert_eq!(set(false), plain);
        let secure = plain.replace("SameSite=Lax;", "SameSite=Lax; Secure;");
        assert_eq!(set(true), secure);
    }
}
