//! How accounts of an app authenticate, and the next steps to connect one.

use sluice_api::{App, AppOauth, AuthType};
use url::{Host, Url};

use crate::commands::output::{CHANGED, GOOD, sanitized, styled};

/// The kind of authentication, and whether it is set up.
pub(super) fn authentication(auth_type: AuthType, oauth: Option<&AppOauth>) -> String {
    match (auth_type, oauth) {
        (AuthType::None, _) => "none".to_owned(),
        (AuthType::Keys, _) => "keys".to_owned(),
        (AuthType::Oauth, Some(oauth)) if oauth.is_ready => styled(GOOD, "OAuth"),
        (AuthType::Oauth, _) => styled(CHANGED, "OAuth, no client"),
    }
}

/// The next steps to connect an account, one per line.
pub(super) fn next_steps(app: &App) -> String {
    let slug = &app.name_slug;
    let connect = format!("Connect an account with `sluice accounts connect {slug}`\n");
    match (&app.oauth, app.auth_type) {
        (_, AuthType::None) => "Components use this app without an account\n".to_owned(),
        (Some(oauth), _) if !oauth.is_ready => {
            register(oauth)
                + &format!(
                    "Then set it up with `sluice apps set-oauth {slug} --client-id ID` (operator only)\n\
                     Without a client, `sluice accounts connect {slug}` takes a token\n"
                )
        }
        _ => connect,
    }
}

/// The steps after a client is set up.
pub(super) fn steps_with_client(app: &App) -> String {
    let check = app.oauth.as_ref().map(|oauth| {
        let (place, uri) = (place(oauth), &oauth.redirect_uri);
        format!("The client {place} must have the redirect URI {uri}\n") + https_note(uri)
    });
    check.unwrap_or_default() + &next_steps(app)
}

fn register(oauth: &AppOauth) -> String {
    let (place, uri) = (place(oauth), &oauth.redirect_uri);
    format!("Register a client {place}, with the redirect URI {uri}\n") + https_note(uri)
}

fn place(oauth: &AppOauth) -> String {
    match &oauth.developer_url {
        Some(url) => format!("at {}", sanitized(url)),
        None => "at the provider".to_owned(),
    }
}

fn https_note(uri: &str) -> &'static str {
    if needs_https(uri) {
        "Most providers accept only https there: start the server with an https --public-url\n"
    } else {
        ""
    }
}

/// Whether most providers reject this redirect URI. They accept http for loopback addresses only.
fn needs_https(uri: &str) -> bool {
    let Ok(url) = Url::parse(uri) else {
        return false;
    };
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "http" && !is_loopback
}

/// The explanation for an app that has no client.
pub(in crate::commands) fn no_client(app: &App) -> String {
    format!(
        "no OAuth client is set up for {}: the operator adds one with `sluice apps set-oauth {slug}` (see `sluice apps show {slug}`)",
        sanitized(&app.name),
        slug = app.name_slug
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_beyond_this_machine_needs_https() {
        for accepted in [
            "https://sluice.example.com/oauth/callback",
            "http://127.0.0.1:3000/oauth/callback",
            "http://localhost/oauth/callback",
            "http://[::1]:3000/oauth/callback",
        ] {
            assert!(!needs_https(accepted), "{accepted}");
        }
        assert!(needs_https("http://sluice.example.com/oauth/callback"));
        assert!(needs_https("http://10.0.0.1:3000/oauth/callback"));
    }
}
