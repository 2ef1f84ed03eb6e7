//! Small HTML pages without scripts, for people who follow a link that is not one of the console.

use std::fmt::{self, Display, Formatter, Write};

use axum::response::{IntoResponse, Response};
use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS,
    },
};
use rand::{CryptoRng, RngExt};

const STYLE: &str = include_str!("html/page.css");

/// Addresses of these pages are secrets, so they are neither stored nor passed on.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    ),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// Where the forms of a page may post to.
#[derive(Clone, Copy)]
pub(crate) enum Forms {
    /// It has none.
    None,
    /// To this server.
    Own,
}

pub(crate) struct HtmlPage<'a> {
    pub(crate) status: StatusCode,
    pub(crate) title: &'a str,
    /// The markup below the title. Texts in it are [`Escaped`].
    pub(crate) content: String,
    pub(crate) forms: Forms,
}

impl<'a> HtmlPage<'a> {
    /// A title and a paragraph.
    pub(crate) fn message(status: StatusCode, title: &'a str, text: &str) -> Self {
        HtmlPage {
            status,
            title,
            content: format!("<p>{}</p>", Escaped(text)),
            forms: Forms::None,
        }
    }

    pub(crate) fn respond(self, rng: &mut impl CryptoRng) -> Response {
        let nonce = format!("{:032x}", rng.random::<u128>());
        let form_action = match self.forms {
            Forms::None => "'none'",
            Forms::Own => "'self'",
        };
        let policy = format!(
            "default-src 'none'; style-src 'nonce-{nonce}'; form-action {form_action}; base-uri 'none'; frame-ancestors 'none'"
        );
        let policy = HeaderValue::try_from(policy).expect("the policy is visible ASCII");
        let (title, content) = (Escaped(self.title), self.content);
        let html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title} · Sluice</title>\n<style nonce=\"{nonce}\">\n{STYLE}</style>\n</head>\n\
             <body>\n<main>\n<h1>{title}</h1>\n{content}\n</main>\n</body>\n</html>\n"
        );
        let policy = [(CONTENT_SECURITY_POLICY, policy)];
        (self.status, HEADERS, policy, html).into_response()
    }
}

/// A text in markup, also in a quoted attribute.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            Escaped("<a href='x'>&\"</a>").to_string(),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;"
        );
    }
}
