//! The session cookie of the console: read, set and removed. Components neither see nor set it, or any other cookie of ours.
//!
//! Cookies are read and written with the crate `cookie`. Filtering works on the raw bytes, because malformed cookies must be
//! recognised as browsers do, and all others passed on unchanged.

use cookie::{Cookie, SameSite, time::Duration};
use http::{HeaderMap, HeaderValue, header::COOKIE};
use sluice_app::{App, LONGEST_SESSION};
use sluice_infra::Settings;
use sluice_model::SessionToken;

use crate::{connect_cookie, cookies::only_value, oidc_cookie};

/// The prefix of the name, followed by an id of the server. Browsers share the cookies of a host between its ports, so each
/// server needs its own name. Components see none of them.
const PREFIX: &str = "sluice_session";
/// The cookie is sent to the API only. No endpoint is below this path.
const PATH: &str = "/v1";

/// The cookie of one server.
pub(crate) struct SessionCookie {
    name: String,
    secure: bool,
}

impl SessionCookie {
    pub(crate) fn of(app: &App, settings: &Settings) -> Self {
        SessionCookie {
            name: format!("{PREFIX}_{}", app.sessions.server_mark()),
            secure: settings.public_url.starts_with("https://"),
        }
    }

    /// The token of a request.
    pub(crate) fn token(&self, headers: &HeaderMap) -> Option<SessionToken> {
        SessionToken::parse(&only_value(headers, &self.name)?)
    }

    /// The `set-cookie` that starts a session. The browser keeps it for as long as a session can last. The server ends sessions
    /// earlier that are not used.
    pub(crate) fn start(&self, token: &SessionToken) -> HeaderValue {
        self.set(token.as_str(), LONGEST_SESSION.as_secs())
    }

    /// The `set-cookie` that ends a session.
    pub(crate) fn end(&self) -> HeaderValue {
        self.set("", 0)
    }

    fn set(&self, value: &str, max_age_s: u64) -> HeaderValue {
        let max_age = Duration::seconds(max_age_s.cast_signed());
        let cookie = Cookie::build((&self.name, value))
            .http_only(true)
            .same_site(SameSite::Strict)
            .secure(self.secure)
            .path(PATH)
            .max_age(max_age);
        HeaderValue::try_from(cookie.to_string()).expect("names and tokens are hexadecimal digits")
    }
}

/// Removes our cookies, of any server, from a request that a component will see.
pub(crate) fn strip(headers: &mut HeaderMap) {
    let has_ours = |line: &HeaderValue| pairs(line.as_bytes()).any(is_ours);
    if !headers.get_all(COOKIE).iter().any(has_ours) {
        return;
    }
    let kept: Vec<HeaderValue> = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|line| {
            let others: Vec<&[u8]> = pairs(line.as_bytes())
                .filter(|pair| !is_ours(pair))
                .collect();
            HeaderValue::from_bytes(&others.join(&b"; "[..])).ok()
        })
        .filter(|line| !line.is_empty())
        .collect();
    headers.remove(COOKIE);
    for line in kept {
        headers.append(COOKIE, line);
    }
}

/// Whether a `set-cookie` would set one of our cookies in a browser. A browser returns a cookie without a name as
/// its value alone, which may look like one.
pub(crate) fn is_set_by(set_cookie: &[u8]) -> bool {
    let pair = set_cookie.split(|&byte| byte == b';').next();
    let pair = pair.unwrap_or_default().trim_ascii();
    is_ours(pair) || pair.strip_prefix(b"=").is_some_and(is_ours)
}

fn pairs(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b';').map(<[u8]>::trim_ascii)
}

fn is_ours(pair: &[u8]) -> bool {
    let name = pair.split(|&byte| byte == b'=').next();
    let name = name.unwrap_or_default().trim_ascii();
    let prefixes = [PREFIX, connect_cookie::PREFIX, oidc_cookie::PREFIX];
    prefixes
        .iter()
        .any(|prefix| name.starts_with(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    const OTHER: &str = "fedcba9876543210fedcba9876543210";

    fn cookie(secure: bool) -> SessionCookie {
        let name = "sluice_session_ab12".to_owned();
        SessionCookie { name, secure }
    }

    fn with(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, HeaderValue::try_from(*line).unwrap());
        }
        headers
    }

    #[test]
    fn the_token_is_found_among_other_cookies() {
        let found = |lines: &[&str]| {
            let token = cookie(false).token(&with(lines));
            token.map(|token| token.as_str().to_owned())
        };
        let ours = format!("sluice_session_ab12={TOKEN}");
        let among = format!("a=1; {ours} ;sluice_session_cd34={OTHER};sluice_session={OTHER}");
        let shouted = format!("Sluice_Session_ab12={TOKEN}");
        let of_another = format!("sluice_session_cd34={TOKEN}");
        assert_eq!(found(&[&ours]).as_deref(), Some(TOKEN));
        assert_eq!(found(&["x=y", &among]).as_deref(), Some(TOKEN));
        assert_eq!(found(&[&shouted]), None);
        assert_eq!(found(&[&of_another]), None);
        assert_eq!(found(&["sluice_session_ab12=x"]), None);
        assert_eq!(found(&["sluice_session_ab12"]), None);
        assert_eq!(found(&[]), None);
        let mut headers = with(&[&ours]);
        headers.append(COOKIE, HeaderValue::from_bytes(b"x=\xff").unwrap());
        assert!(cookie(false).token(&headers).is_some());
    }

    #[test]
    fn two_cookies_of_the_name_are_ambiguous() {
        let ours = format!("sluice_session_ab12={TOKEN}");
        let in_one_line = format!("{ours}; sluice_session_ab12=x");
        assert_eq!(cookie(false).token(&with(&[&ours, &ours])), None);
        assert_eq!(cookie(false).token(&with(&[&in_one_line])), None);
    }

    #[test]
    fn only_https_makes_it_secure() {
        let token = SessionToken::parse(TOKEN).unwrap();
        assert_eq!(
            cookie(true).start(&token),
            format!(
                "sluice_session_ab12={TOKEN}; HttpOnly; SameSite=Strict; Secure; Path=/v1; Max-Age=7776000"
            )
        );
        assert_eq!(
            cookie(false).end(),
            "sluice_session_ab12=; HttpOnly; SameSite=Strict; Path=/v1; Max-Age=0"
        );
    }

    #[test]
    fn stripping_leaves_the_others_as_they_are() {
        let stripped = |lines: &[&str]| {
            let mut headers = with(lines);
            strip(&mut headers);
            let left = headers.get_all(COOKIE).iter();
            left.map(|line| line.to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(stripped(&["a=1;  b=2"]), ["a=1;  b=2"]);
        let of_two_servers = "a=1; sluice_session_ab12=x; b=2; sluice_session_cd34=y";
        assert_eq!(stripped(&[of_two_servers]), ["a=1; b=2"]);
        assert_eq!(
            stripped(&["sluice_session_ab12=x", "b=2;sluice_session=y"]),
            ["b=2"]
        );
        assert!(stripped(&["sluice_session=x"]).is_empty());
        assert!(stripped(&["sluice_connect_ab12=x"]).is_empty());
        assert!(stripped(&["sluice_oidc_ab12=x"]).is_empty());
        assert!(stripped(&["sluice_session"]).is_empty());
    }

    #[test]
    fn a_set_cookie_of_ours_is_recognised() {
        for set in [
            "sluice_session_ab12=x",
            "sluice_session=x",
            " sluice_session_cd34 = x; Path=/",
            "=sluice_session=x",
            "sluice_session",
            "sluice_connect_ab12=x; Path=/oauth",
            "=sluice_connect=x",
        ] {
            assert!(is_set_by(set.as_bytes()), "{set}");
        }
        for set in [
            "a=sluice_session=x",
            "sluice=x",
            "",
            "a=1; sluice_session=x",
        ] {
            assert!(!is_set_by(set.as_bytes()), "{set}");
        }
    }
}
