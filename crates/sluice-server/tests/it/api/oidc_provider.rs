//! A scripted provider of OpenID Connect, and a browser that goes there.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sluice_infra::OidcSettings;
use sluice_testkit::{Answer, Api, Method};

use crate::server::TestServer;

const CLIENT: &str = "sluice";

/// The behaviour of the provider, which a test changes.
pub(crate) struct Script {
    /// Replace claims of the ID token.
    pub(crate) claims: Value,
    /// The claims of user information; without them the ID token has the mail address.
    pub(crate) user_info: Option<Value>,
    /// The number and the id of its key.
    pub(crate) key: (u8, &'static str),
    /// Appended to its documents.
    pub(crate) padding: usize,
    pub(crate) issuer: Option<String>,
    /// It takes requests and never answers.
    pub(crate) hangs: bool,
    pub(crate) requests: HashMap<&'static str, usize>,
    /// Challenge and nonce of each code that was not used.
    codes: HashMap<String, (String, String)>,
}

#[derive(Clone)]
pub(crate) struct Provider {
    pub(crate) url: String,
    script: Arc<Mutex<Script>>,
}

impl Provider {
    pub(crate) async fn start() -> Provider {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let script = Script {
            claims: json!({}),
            user_info: None,
            key: (1, "one"),
            padding: 0,
            issuer: None,
            hangs: false,
            requests: HashMap::new(),
            codes: HashMap::new(),
        };
        let provider = Provider {
            url: format!("http://{}", listener.local_addr().unwrap()),
            script: Arc::new(Mutex::new(script)),
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(description))
            .route("/jwks", get(keys))
            .route("/token", post(token))
            .route("/me", get(user_info))
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.script.lock().unwrap());
    }

    pub(crate) fn requests(&self, path: &'static str) -> usize {
        let script = self.script.lock().unwrap();
        script.requests.get(path).copied().unwrap_or_default()
    }

    pub(crate) fn settings(&self) -> OidcSettings {
        OidcSettings {
            issuer: self.url.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: Some("s3cret".to_owned()),
            scopes: vec!["openid".to_owned(), "email".to_owned()],
            name: "Example".to_owned(),
            allowed_domains: Vec::new(),
            create_users: true,
        }
    }

    /// A server that uses this provider.
    pub(crate) async fn server(&self, change: impl FnOnce(&mut OidcSettings)) -> Arc<TestServer> {
        let mut settings = self.settings();
        change(&mut settings);
        TestServer::with(|all| all.oidc = Some(settings)).await
    }

    /// The person agrees. Returns the query with which the provider sends the browser back.
    pub(crate) fn agree(&self, departure: &HashMap<String, String>) -> String {
        let code = format!("code-{}", departure["state"]);
        let pending = (
            departure["code_challenge"].clone(),
            departure["nonce"].clone(),
        );
        self.set(|script| {
            script.codes.insert(code.clone(), pending);
        });
        format!("code={code}&state={}", departure["state"])
    }

    async fn count(&self, path: &'static str) {
        let hangs = {
            let mut script = self.script.lock().unwrap();
            *script.requests.entry(path).or_default() += 1;
            script.hangs
        };
        if hangs {
            std::future::pending::<()>().await;
        }
    }
}

async fn description(State(provider): State<Provider>) -> Response {
    provider.count("description").await;
    let url = &provider.url;
    let script = provider.script.lock().unwrap();
    Json(json!({
        "issuer": script.issuer.as_ref().unwrap_or(url), "authorization_endpoint": format!("{url}/auth"),
        "token_endpoint": format!("{url}/token"), "jwks_uri": format!("{url}/jwks"),
        "userinfo_endpoint": format!("{url}/me"), "padding": "x".repeat(script.padding),
    }))
    .into_response()
}

async fn keys(State(provider): State<Provider>) -> Response {
    provider.count("keys").await;
    let (number, id) = provider.script.lock().unwrap().key;
    let x = BASE64_URL_SAFE_NO_PAD.encode(key(number).public_key());
    Json(json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": id, "x": x }] })).into_response()
}

async fn user_info(State(provider): State<Provider>, headers: HeaderMap) -> Response {
    provider.count("user_info").await;
    if headers
        .get("authorization")
        .is_none_or(|it| it != "Bearer access")
    {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let script = provider.script.lock().unwrap();
    Json(script.user_info.clone().unwrap_or_default()).into_response()
}

async fn token(State(provider): State<Provider>, headers: HeaderMap, body: Bytes) -> Response {
    provider.count("token").await;
    let form: HashMap<String, String> = pairs(&String::from_utf8_lossy(&body));
    let invalid = (
        StatusCode::BAD_REQUEST,
        Json(json!({ "error": "invalid_grant", "error_description": "the code is not valid" })),
    );
    let mut script = provider.script.lock().unwrap();
    let Some((challenge, nonce)) = script.codes.remove(&form["code"]) else {
        return invalid.into_response();
    };
    let verifier = Sha256::digest(&form["code_verifier"]);
    if BASE64_URL_SAFE_NO_PAD.encode(verifier) != challenge
        || !headers.contains_key("authorization")
    {
        return invalid.into_response();
    }
    let mut claims = json!({ "iss": provider.url, "aud": CLIENT, "sub": "ada", "nonce": nonce,
        "exp": 4_000_000_000_u64, "email": "ada@example.com", "email_verified": true });
    if let (Value::Object(all), Value::Object(changes)) = (&mut claims, &script.claims) {
        all.extend(changes.clone());
        all.retain(|_, value| !value.is_null());
    }
    let (number, id) = script.key;
    let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!(
        "{}.{}",
        part(json!({ "alg": "EdDSA", "kid": id })),
        part(claims)
    );
    let signature = BASE64_URL_SAFE_NO_PAD.encode(key(number).sign(signed.as_bytes()));
    Json(json!({ "access_token": "access", "token_type": "Bearer", "id_token": format!("{signed}.{signature}") }))
        .into_response()
}

fn key(number: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[number; 32]).unwrap()
}

fn pairs(text: &str) -> HashMap<String, String> {
    form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect()
}

/// A browser with its cookies.
pub(crate) struct Browser {
    api: Api,
    cookies: HashMap<String, String>,
}

impl Browser {
    pub(crate) fn new(server: &TestServer) -> Browser {
        Browser {
            api: Api::new(server.url(), "none"),
            cookies: HashMap::new(),
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let request = self.api.root(Method::GET, path);
        let answer = request.header("cookie", &cookies.join("; ")).send().await;
        for cookie in answer.headers.get_all("set-cookie") {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    /// Goes to the provider. Returns the query of its address.
    pub(crate) async fn depart(&mut self, return_to: &str) -> HashMap<String, String> {
        let answer = self
            .get(&format!("/oidc/sign-in?return_to={return_to}"))
            .await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        let location = answer.header("location").unwrap();
        let (_, query) = location.split_once("/auth?").expect("the provider");
        pairs(query)
    }

    /// Goes to the provider and agrees. Returns the query with which the browser is sent back.
    pub(crate) async fn visit(&mut self, provider: &Provider) -> String {
        let departure = self.depart("/sources?a=b").await;
        provider.agree(&departure)
    }

    /// Comes back from the provider. Returns the address that follows.
    pub(crate) async fn return_with(&mut self, query: &str) -> String {
        let answer = self.get(&format!("/oidc/callback?{query}")).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        answer.header("location").unwrap().to_owned()
    }

    pub(crate) async fn sign_in(&mut self, provider: &Provider) -> String {
        let query = self.visit(provider).await;
        self.return_with(&query).await
    }

    /// The user of the session; null without one.
    pub(crate) async fn user(&mut self) -> Value {
        self.get("/v1/session").await.body["data"]["user"].clone()
    }

    /// What the sign-in page shows.
    pub(crate) async fn error(&mut self) -> Value {
        self.get("/v1/sign_in").await.ok()["error"].clone()
    }
}
