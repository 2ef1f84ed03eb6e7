//! The OAuth 2 protocol, as a client of the providers that the operator registered.
//!
//! Their addresses are the operator's own, so they may be private ones. No redirect is followed, and answers are bounded
//! in time and size.

mod answer;
mod pkce;

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use reqwest::{
    Client, RequestBuilder, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
    redirect::Policy,
};
use serde_json::Value;
use sluice_model::{ClientAuthentication, ConnectionError, ConnectionErrorCode, OauthSettings};

pub use answer::{TokenAnswer, provider_error, seconds};
use answer::{json_object, refusal, token_answer, unusable};
pub use pkce::{Verifier, random_text};

const TIMEOUT: Duration = Duration::from_secs(15);
const MOST_BYTES: usize = 1024 * 1024;

/// The operator's client at one provider, for one account.
pub struct Registration {
    /// With the account's fields in the addresses.
    settings: OauthSettings,
    client_id: String,
    secret: Option<String>,
}

impl Registration {
    /// Fails when there is no client, or when a field that an address contains is missing or no part of a host name.
    pub fn new(
        settings: &OauthSettings,
        fields: &BTreeMap<String, String>,
        secret: Option<String>,
    ) -> Result<Registration, String> {
        let client_id = settings.client_id.clone();
        Ok(Registration {
            client_id: client_id.ok_or("no OAuth client is set up for this app")?,
            settings: settings.with_fields(fields)?,
            secret,
        })
    }
}

/// Where the user's browser is sent to.
pub fn authorization_url(
    registration: &Registration,
    redirect_uri: &str,
    state: &str,
    verifier: Option<&Verifier>,
) -> Result<String, String> {
    let settings = &registration.settings;
    let mut url = Url::parse(&settings.authorization_url).map_err(|error| error.to_string())?;
    {
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &registration.client_id)
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
pub struct Provider {
    client: Client,
}

impl Provider {
    pub fn new() -> Result<Provider, reqwest::Error> {
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .no_proxy()
            .user_agent(concat!("sluice/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Provider { client })
    }

    /// Tokens for the code that a browser brought back.
    pub async fn exchange(
        &self,
        registration: &Registration,
        code: &str,
        redirect_uri: &str,
        verifier: Option<&Verifier>,
    ) -> Result<TokenAnswer, ConnectionError> {
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

    pub async fn refresh(
        &self,
        registration: &Registration,
        refresh_token: &str,
    ) -> Result<TokenAnswer, ConnectionError> {
        let form = vec![
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh_token),
        ];
        self.tokens(registration, form).await
    }

    async fn tokens(
        &self,
        registration: &Registration,
        mut form: Vec<(&str, &str)>,
    ) -> Result<TokenAnswer, ConnectionError> {
        let settings = &registration.settings;
        let extra = settings.token_params.iter();
        form.extend(extra.map(|(name, value)| (name.as_str(), value.as_str())));
        let request = self.form(&settings.token_url, registration, &form);
        let (status, body) = send(request).await?;
        token_answer(status, &body)
    }

    /// Who the access token is for.
    pub async fn uid(
        &self,
        registration: &Registration,
        access_token: &str,
    ) -> Result<Option<String>, ConnectionError> {
        let settings = &registration.settings;
        let Some(address) = &settings.userinfo_url else {
            return Ok(None);
        };
        let request = self.client.get(address);
        let (status, body) = send(request.bearer_auth(access_token)).await?;
        let field = json_object(&body).and_then(|mut fields| fields.remove(&settings.uid_field));
        match (status.is_success(), field) {
            (true, Some(Value::String(uid))) => Ok(Some(uid)),
            (true, Some(Value::Number(uid))) => Ok(Some(uid.to_string())),
            (true, _) => Err(unusable(format!(
                "its user information has no {}",
                settings.uid_field
            ))),
            (false, _) => Err(unusable(format!(
                "it answered {status} when asked for user information"
            ))),
        }
    }

    /// Tells the provider that a token is not needed any more.
    pub async fn revoke(
        &self,
        registration: &Registration,
        token: &str,
    ) -> Result<(), ConnectionError> {
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
        registration: &Registration,
        fields: &[(&str, &str)],
    ) -> RequestBuilder {
        let client_id = &registration.client_id;
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
    format!("Basic {}", BASE64_STANDARD.encode(pair))
}

async fn send(request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), ConnectionError> {
    // Addresses are left out: they may carry what is secret.
    let broken = |error: reqwest::Error| {
        let kind = if error.is_timeout() {
            "it did not answer in time"
        } else {
            "it could not be reached"
        };
        ConnectionError::new(ConnectionErrorCode::TemporarilyUnavailable, kind)
    };
    let request = request.header(ACCEPT, "application/json");
    let mut response = request.send().await.map_err(broken)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_BYTES {
            return Err(unusable("its answer is too large"));
        }
    }
    Ok((response.status(), body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_basic_authentication_are_encoded() {
        let header = basic("a:b", "c d%");
        assert_eq!(
            header,
            format!("Basic {}", BASE64_STANDARD.encode("a%3Ab:c+d%25"))
        );
    }
}
