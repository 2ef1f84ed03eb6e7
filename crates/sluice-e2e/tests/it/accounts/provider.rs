//! The provider of `provider.mjs`: one for all tests, each of which has a client of its own there.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Method, ServerInfo};

use super::fixtures::{form, text, unique_slug};

pub(crate) struct Provider {
    url: String,
    /// It ends when its standard input does, which is when this process is gone.
    _child: Child,
}

/// A client of the provider, and the app that it is on a server.
pub(crate) struct OauthApp {
    pub(crate) slug: String,
    pub(crate) client_id: String,
    pub(crate) secret: String,
}

pub(crate) fn provider() -> &'static Provider {
    static PROVIDER: OnceLock<Provider> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/accounts/provider.mjs");
        let mut child = Command::new("node")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node can be started");
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe"))
            .read_line(&mut url)
            .expect("its address");
        assert!(url.starts_with("http://"), "`make deno` installs it");
        Provider {
            url: url.trim().to_owned(),
            _child: child,
        }
    })
}

impl Provider {
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Registers a client here and as an app of `server`; `more` changes the app's OAuth settings, and
    /// `access_token_lifetime` in it how long the client's tokens live.
    pub(crate) async fn app_on(&self, server: &ServerInfo, more: Value) -> OauthApp {
        let method = more["client_authentication"]
            .as_str()
            .unwrap_or("client_secret_basic");
        let mut client = json!({
            "redirect_uris": [format!("{}/oauth/callback", server.url())],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
        });
        if let Some(seconds) = more.get("access_token_lifetime") {
            client["access_token_lifetime"] = seconds.clone();
        }
        let registered = server.api().absolute(Method::POST, &self.at("/reg"));
        let client = registered.json(&client).send().await.expect(201);
        let app = OauthApp {
            slug: unique_slug(),
            client_id: text(&client["client_id"]),
            secret: text(&client["client_secret"]),
        };
        let mut oauth = json!({
            "authorization_url": self.at("/auth"), "token_url": self.at("/token"), "userinfo_url": self.at("/me"),
            "revocation_url": self.at("/token/revocation"),
            "client_id": app.client_id, "client_secret": app.secret,
            "scopes": ["openid", "offline_access"], "authorize_params": { "prompt": "consent" },
        });
        if let (Some(oauth), Value::Object(more)) = (oauth.as_object_mut(), more) {
            oauth.extend(more);
        }
        let body = json!({ "name_slug": app.slug, "name": "Example", "auth_type": "oauth", "oauth": oauth });
        server.api().post("/apps", &body).await.ok();
        app
    }

    /// How often the client has asked for tokens.
    pub(crate) async fn times_asked(&self, api: &Api, app: &OauthApp) -> u64 {
        let url = self.at(&format!("/test/asked?client={}", app.client_id));
        let answer = api.absolute(Method::GET, &url).send().await;
        answer.text.parse().expect("a number")
    }

    /// Makes the client's token requests fail with `status`, or work again with 0.
    pub(crate) async fn set_outage(&self, api: &Api, app: &OauthApp, status: u16) {
        let url = self.at(&format!(
            "/test/outage?client={}&status={status}",
            app.client_id
        ));
        api.absolute(Method::GET, &url).send().await.expect(200);
    }

    /// Takes a refresh token, and with it the whole grant, back.
    pub(crate) async fn revoke(&self, api: &Api, app: &OauthApp, refresh_token: &str) {
        let fields = [
            ("token", refresh_token),
            ("client_id", &app.client_id),
            ("client_secret", &app.secret),
        ];
        let request = api.absolute(Method::POST, &self.at("/token/revocation"));
        form(request, &fields).send().await.expect(200);
    }

    /// Whether the provider takes an access token.
    pub(crate) async fn accepts(&self, api: &Api, access_token: &str) -> bool {
        let request = api.absolute(Method::GET, &self.at("/me"));
        let answer: Answer = request
            .header("authorization", &format!("Bearer {access_token}"))
            .send()
            .await;
        answer.status == 200
    }
}
