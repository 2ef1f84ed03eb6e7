//! The OAuth 2 protocol, as a client of the providers that the operator registered.
//!
//! Their addresses are the operator's own, so they may be private ones. No redirect is followed, and answers are bounded
//! in time and size.

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD, prelude::BASE64_URL_SAFE_NO_PAD};
use reqwest::{
    Client, RequestBuilder, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
    redirect::Policy,
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use sluice_model::{ClientAuthentication, OauthSettings};

use super::credentials::seconds;

const TIMEOUT: Duration = Duration::from_secs(15);
const MOST_BYTES: usize = 1024 * 1024;
const LONGEST_MESSAGE: usize = 300;

/// One client at one provider.
pub(super) struct Registration<'a> {
    pub(super) settings: &'a OauthSettings,
    pub(super) secret: Option<String>,
}

/// Tokens, as a provider hands them out.
pub(super) struct TokenAnswer {
    pub(super) access_token: String,
    pub(super) refresh_token: Option<String>,
    /// In seconds.
    pub(super) expires_in: Option<i64>,
    pub(super) extra: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OauthError {
    /// It may work later.
    #[error("{0}")]
    Passing(String),
    /// What was presented is not good any more: it was used, has expired or was revoked.
    #[error("{0}")]
    InvalidGrant(String),
    #[error("{0}")]
    Refused(String),
}

/// The secret that proves to the token endpoint that whoever exchanges the code also asked for it.
pub(super) struct Verifier(String);

impl Verifier {
    pub(super) fn random() -> Verifier {
        Verifier(random_text())
    }

    pub(super) fn from_text(text: String) -> Verifier {
        Verifier(text)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    fn challenge(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&self.0))
    }
}

/// 256 bits that nobody guesses.
pub(super) fn random_text() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// Where the user's browser is sent to.
pub(super) fn authorization_url(
    settings: &OauthSettings,
    redirect_uri: &str,
    state: &str,
    verifier: Option<&Verifier>,
) -> Result<String, String> {
    let mut url = Url::parse(&settings.authorization_url).map_err(|error| error.to_string())?;
    {
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &settings.client_id)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("state", state);
        if !settings.scopes.is_empty() {
            query.append_pair("scope", &settings.scopes.join(&settings.scope_separator));
        }
        if let Some(verifier) = verifier {
            query
                .append_pair("code_challenge", &verifier.challenge())
                .append_pair("code_challenge_method", "S256");
        }
        query.extend_pairs(&settings.authorize_params);
    }
    Ok(url.into())
}

/// Talks to providers.
pub(super) struct Provider {
    client: Client,
}

impl Provider {
    pub(super) fn new() -> Result<Provider, reqwest::Error> {
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .no_proxy()
            .user_agent(concat!("sluice/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Provider { client })
    }

    /// Tokens for the code that a browser brought back.
    pub(super) async fn exchange(
        &self,
        registration: &Registration<'_>,
        code: &str,
        redirect_uri: &str,
        verifier: Option<&Verifier>,
    ) -> Result<TokenAnswer, OauthError> {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
        ];
        if let Some(verifier) = verifier {
            form.push(("code_verifier", verifier.as_str()));
        }
        self.tokens(registration, form).await
    }

    pub(super) async fn refresh(
        &self,
        registration: &Registration<'_>,
        refresh_token: &str,
    ) -> Result<TokenAnswer, OauthError> {
        let form = vec![
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh_token),
        ];
        self.tokens(registration, form).await
    }

    async fn tokens(
        &self,
        registration: &Registration<'_>,
        mut form: Vec<(&str, &str)>,
    ) -> Result<TokenAnswer, OauthError> {
        let settings = registration.settings;
        let extra = settings.token_params.iter();
        form.extend(extra.map(|(name, value)| (name.as_str(), value.as_str())));
        let request = self.form(&settings.token_url, registration, &form);
        let (status, body) = send(request).await?;
        token_answer(status, &body)
    }

    /// Who the access token is for.
    pub(super) async fn uid(
        &self,
        settings: &OauthSettings,
        access_token: &str,
    ) -> Result<Option<String>, OauthError> {
        let Some(address) = &settings.userinfo_url else {
            return Ok(None);
        };
        let request = self.client.get(address);
        let (status, body) = send(request.bearer_auth(access_token)).await?;
        let field = json_object(&body).and_then(|mut fields| fields.remove(&settings.uid_field));
        match (status.is_success(), field) {
            (true, Some(Value::String(uid))) => Ok(Some(uid)),
            (true, Some(Value::Number(uid))) => Ok(Some(uid.to_string())),
            (true, _) => Err(OauthError::Refused(format!(
                "its user information has no {}",
                settings.uid_field
            ))),
            (false, _) => Err(OauthError::Refused(format!(
                "it answered {status} when asked for user information"
            ))),
        }
    }

    /// Tells the provider that a token is not needed any more.
    pub(super) async fn revoke(
        &self,
        registration: &Registration<'_>,
        token: &str,
    ) -> Result<(), OauthError> {
        let Some(address) = &registration.settings.revocation_url else {
            return Ok(());
        };
        let (status, body) = send(self.form(address, registration, &[("token", token)])).await?;
        if status.is_success() {
            Ok(())
        } else {
            Err(refusal(status, json_object(&body).as_ref()))
        }
    }

    /// A form with the client's own proof of who it is.
    fn form(
        &self,
        address: &str,
        registration: &Registration<'_>,
        fields: &[(&str, &str)],
    ) -> RequestBuilder {
        let client_id = &registration.settings.client_id;
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let mut request = self.client.post(address);
        match (
            &registration.secret,
            registration.settings.client_authentication,
        ) {
            (Some(secret), ClientAuthentication::Basic) => {
                request = request.header(AUTHORIZATION, basic(client_id, secret));
            }
            (Some(secret), ClientAuthentication::Post) => {
                form.append_pair("client_id", client_id)
                    .append_pair("client_secret", secret);
            }
            (None, _) => {
                form.append_pair("client_id", client_id);
            }
        }
        request
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.finish())
    }
}

/// The two parts are form-encoded before they are joined, as RFC 6749 wants in section 2.3.1.
fn basic(client_id: &str, secret: &str) -> String {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", encode(client_id), encode(secret));
    format!("Basic {}", STANDARD.encode(pair))
}

async fn send(request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), OauthError> {
    // Addresses are left out: they may carry what is secret.
    let broken = |error: reqwest::Error| {
        let kind = if error.is_timeout() {
            "it did not answer in time"
        } else {
            "it could not be reached"
        };
        OauthError::Passing(kind.to_owned())
    };
    let request = request.header(ACCEPT, "application/json");
    let mut response = request.send().await.map_err(broken)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_BYTES {
            return Err(OauthError::Refused("its answer is too large".to_owned()));
        }
    }
    Ok((response.status(), body))
}

fn token_answer(status: StatusCode, body: &[u8]) -> Result<TokenAnswer, OauthError> {
    let Some(mut fields) = json_object(body).filter(|_| !status.is_server_error()) else {
        return Err(refusal(status, None));
    };
    // Some providers say 200 to everything.
    if !status.is_success() || fields.contains_key("error") {
        return Err(refusal(status, Some(&fields)));
    }
    let mut take = |name: &str| match fields.remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    };
    let access_token = take("access_token")
        .ok_or_else(|| OauthError::Refused("its answer has no access_token".to_owned()))?;
    let refresh_token = take("refresh_token");
    let expires_in = fields.remove("expires_in");
    let text = |(name, value)| match value {
        Value::String(text) => Some((name, text)),
        _ => None,
    };
    Ok(TokenAnswer {
        access_token,
        refresh_token,
        expires_in: expires_in.as_ref().and_then(seconds),
        extra: fields.into_iter().filter_map(text).collect(),
    })
}

fn refusal(status: StatusCode, fields: Option<&Map<String, Value>>) -> OauthError {
    let text = |name| fields?.get(name)?.as_str();
    let Some(code) = text("error") else {
        let message = format!("it answered {status}");
        return if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            OauthError::Passing(message)
        } else {
            OauthError::Refused(message)
        };
    };
    let message = in_words(code, text("error_description"));
    match code {
        // The second is what GitHub says.
        "invalid_grant" | "bad_refresh_token" => OauthError::InvalidGrant(message),
        "temporarily_unavailable" | "server_error" => OauthError::Passing(message),
        _ => OauthError::Refused(message),
    }
}

/// A provider's error as one short line.
pub(super) fn in_words(code: &str, description: Option<&str>) -> String {
    let whole = match description.filter(|text| !text.is_empty()) {
        Some(description) => format!("{code}: {description}"),
        None => code.to_owned(),
    };
    let printable = |character: &char| !character.is_control();
    whole
        .chars()
        .filter(printable)
        .take(LONGEST_MESSAGE)
        .collect()
}

fn json_object(body: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(body).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Result<TokenAnswer, OauthError> {
        token_answer(StatusCode::from_u16(status).unwrap(), body.as_bytes())
    }

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let verifier = Verifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        assert_eq!(
            verifier.challenge(),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
        assert_eq!(Verifier::random().as_str().len(), 43);
    }

    #[test]
    fn extra_texts_are_kept_and_numbers_may_be_strings() {
        let body =
            r#"{"access_token":"a","expires_in":"60","instance_url":"i","n":1,"token_type":"x"}"#;
        let answer = answer(200, body).ok().unwrap();
        assert_eq!(answer.access_token, "a");
        assert_eq!(answer.refresh_token, None);
        assert_eq!(answer.expires_in, Some(60));
        assert_eq!(answer.extra.len(), 2);
        assert_eq!(answer.extra["instance_url"], "i");
    }

    #[test]
    fn failures_are_told_apart_by_what_can_be_done_about_them() {
        let fault = |status, body| answer(status, body).err().unwrap();
        let passing = |text: &str| OauthError::Passing(text.to_owned());
        assert_eq!(
            fault(503, "<html>"),
            passing("it answered 503 Service Unavailable")
        );
        assert_eq!(fault(429, ""), passing("it answered 429 Too Many Requests"));
        assert_eq!(
            fault(400, r#"{"error":"temporarily_unavailable"}"#),
            passing("temporarily_unavailable")
        );
        assert_eq!(
            fault(
                400,
                r#"{"error":"invalid_grant","error_description":"gone\u0007"}"#
            ),
            OauthError::InvalidGrant("invalid_grant: gone".to_owned())
        );
        assert!(matches!(
            fault(401, r#"{"error":"invalid_client"}"#),
            OauthError::Refused(_)
        ));
        assert!(matches!(
            fault(200, r#"{"error":"bad"}"#),
            OauthError::Refused(_)
        ));
        assert!(matches!(fault(200, "{}"), OauthError::Refused(_)));
        assert!(matches!(fault(302, ""), OauthError::Refused(_)));
    }

    #[test]
    fn the_parts_of_basic_authentication_are_encoded() {
        let header = basic("a:b", "c d%");
        assert_eq!(header, format!("Basic {}", STANDARD.encode("a%3Ab:c+d%25")));
    }
}
