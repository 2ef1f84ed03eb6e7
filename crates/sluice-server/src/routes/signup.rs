//! Sign-up: new users create their own accounts, if the operator allows it.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{FromRequestParts, State},
    response::Response,
};
use http::request::Parts;
use sluice_api::{Data, FieldQuery, SignUp, SignedUp};
use sluice_app::{App, NewUser};
use sluice_store::users::Plan;

use super::user_fields;
use crate::{
    error::ApiError,
    json_body::{JsonBody, ShortBody},
    openapi::ApiErrors,
    reply,
    state::ServerState,
    wrong_keys::ClientAddress,
};

/// The server allows sign-up. Otherwise the path does not exist.
pub(crate) struct SignupAllowed;

impl FromRequestParts<ServerState> for SignupAllowed {
    type Rejection = ApiError;

    async fn from_request_parts(
        _: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Self::Rejection> {
        if state.infra.settings.allow_signup {
            Ok(SignupAllowed)
        } else {
            Err(ApiError::UnknownPath)
        }
    }
}

/// Sign up
///
/// Needs no API key. The path does not exist unless the server was started with `--allow-signup`.
#[utoipa::path(post, path = "/signup", tag = "users", operation_id = "signUp", params(FieldQuery), request_body = SignUp,
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The user, with the API key", body = Data<SignedUp>), ApiErrors))]
pub(crate) async fn sign_up(
    _: SignupAllowed,
    State(app): State<Arc<App>>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    ShortBody(JsonBody { parameters, fields }): ShortBody<SignUp>,
) -> Result<Response, ApiError> {
    let SignUp { username, email } = parameters;
    let new_user = NewUser {
        username: user_fields::required("username", username.as_deref())?,
        email: user_fields::email(email.as_deref())?,
        plan: Plan::Free,
        operator: false,
    };
    let (user, api_key) = app.users.sign_up(new_user, Some(address)).await?;
    let signed_up = SignedUp {
        id: user.id,
        username: user.username,
        email: user.email,
        api_key: api_key.as_str().to_owned(),
    };
    Ok(reply::one(signed_up, &fields))
}
