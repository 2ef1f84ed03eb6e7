//! The cookie of people who are signed in to the console: read, given, taken back, and kept from everyone else.

use http::{HeaderMap, HeaderValue, header::COOKIE};
use sluice_app::App;
use sluice_infra::Settings;
use sluice_model::SessionToken;

/// How the name begins. A browser gives the cookies of a host to all its ports, so each server goes on with a mark of its own;
/// and none of them shows its components the cookie of any.
const STEM: &str = "sluice_session";
/// Only the API sees it; no endpoint is below this.
const PATH: &str = "/v1";
/// As long as browsers keep a cookie. When a session is over is for the server to say, which knows when it was last used.
const MAX_AGE_SECONDS: u32 = 400 * 24 * 60 * 60;

/// The cookie of one server.
pub(crate) struct SessionCookie {
    name: String,
    secure: bool,
}

impl SessionCookie {
    pub(crate) fn of(app: &App, settings: &Settings) -> Self {
        SessionCookie {
            name: format!("{STEM}_{}", app.sessions.server_mark()),
            secure: settings.public_url.starts_with("https://"),
        }
    }

    /// The token that came with a request. Of two nobody can say which is ours, so neither counts.
    pub(crate) fn token(&self, headers: &HeaderMap) -> Option<SessionToken> {
        let mut ours = headers
            .get_all(COOKIE)
            .iter()
            .flat_map(|line| pairs(line.as_bytes()))
            .filter(|pair| name(pair) == self.name.as_bytes());
        let (pair, None) = (ours.next()?, ours.next()) else {
            return None;
        };
        let (_, value) = str::from_utf8(pair).ok()?.split_once('=')?;
        SessionToken::parse(value.trim())
    }

    /// Gives the cookie to a browser.
    pub(crate) fn carrying(&self, token: &SessionToken) -> HeaderValue {
        self.set(token.as_str(), MAX_AGE_SECONDS)
    }

    /// Takes it back.
    pub(crate) fn clearing(&self) -> HeaderValue {
        self.set("", 0)
    }

    fn set(&self, value: &str, max_age: u32) -> HeaderValue {
        let SessionCookie { name, secure } = self;
        let secure = if *secure { "; Secure" } else { "" };
        let text = format!(
            "{name}={value}; HttpOnly; SameSite=Strict; Path={PATH}; Max-Age={max_age}{secure}"
        );
        HeaderValue::try_from(text).expect("marks and tokens are hexadecimal digits")
    }
}

/// Takes such cookies out of a request that a component will see.
pub(crate) fn strip(headers: &mut HeaderMap) {
    let carries_ours = |line: &HeaderValue| pairs(line.as_bytes()).any(is_ours);
    if !headers.get_all(COOKIE).iter().any(carries_ours) {
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

/// Whether a `set-cookie` would put such a cookie into a browser. One without a name comes back as its value alone,
/// which may look like ours.
pub(crate) fn is_set_by(set_cookie: &[u8]) -> bool {
    let pair = set_cookie.split(|&byte| byte == b';').next();
    let pair = pair.unwrap_or_default().trim_ascii();
    is_ours(pair) || pair.strip_prefix(b"=").is_some_and(is_ours)
}

fn pairs(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b';').map(<[u8]>::trim_ascii)
}

fn name(pair: &[u8]) -> &[u8] {
    let name = pair.split(|&byte| byte == b'=').next();
    name.unwrap_or_default().trim_ascii()
}

fn is_ours(pair: &[u8]) -> bool {
    name(pair).starts_with(STEM.as_bytes())
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
    }

    #[test]
    fn of_two_neither_counts() {
        let ours = format!("sluice_session_ab12={TOKEN}");
        let in_one_line = format!("{ours}; sluice_session_ab12=x");
        assert_eq!(cookie(false).token(&with(&[&ours, &ours])), None);
        assert_eq!(cookie(false).token(&with(&[&in_one_line])), None);
    }

    #[test]
    fn only_https_makes_it_secure() {
        let token = SessionToken::parse(TOKEN).unwrap();
        assert_eq!(
            cookie(true).carrying(&token),
            format!(
                "sluice_session_ab12={TOKEN}; HttpOnly; SameSite=Strict; Path=/v1; Max-Age=34560000; Secure"
            )
        );
        assert_eq!(
            cookie(false).clearing(),
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
        assert!(stripped(&["sluice_session"]).is_empty());
    }

    #[test]
    fn what_would_set_it_is_recognised() {
        for set in [
            "sluice_session_ab12=x",
            "sluice_session=x",
            " sluice_session_cd34 = x; Path=/",
            "=sluice_session=x",
            "sluice_session",
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
