//! Approving an AI application, by its user in the console.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{AgentAnswer, AgentApplication, AgentQuery, ApproveAgent, Data, FieldQuery};
use sluice_app::{AccessError, App, AppRequest, Approval};
use sluice_model::{Scope, Scopes};

use crate::{
    auth::AuthUser, error::ApiError, fields::FieldSelection, json_body::JsonBody,
    openapi::ApiErrors, query::Query, reply,
};

const DEFAULT_DAYS: u32 = 90;

/// The application of an authorization URL
///
/// For the console, and not for named keys.
#[utoipa::path(get, path = "/agent_access", tag = "agents", operation_id = "getAgentApplication",
    params(AgentQuery, FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The application", body = Data<AgentApplication>), ApiErrors))]
pub(crate) async fn get(
    _caller: AuthUser,
    State(app): State<Arc<App>>,
    Query(query): Query<AgentQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let request = request(query.client_id, query.redirect_uri)?;
    let application = app.agent_access.application(&request)?;
    let shown = AgentApplication {
        name: application.name,
        redirect_uri: request.redirect_uri,
    };
    Ok(reply::one(shown, &FieldSelection::new(&fields)))
}

/// Approve or deny an application
///
/// For the console, and not for named keys. The application exchanges the code for a named key.
#[utoipa::path(post, path = "/agent_access", tag = "agents", operation_id = "approveAgent", request_body = ApproveAgent,
    params(FieldQuery), extensions(("x-sluice-extension" = json!(true))), responses((status = 200, description = "The address to go on to", body = Data<AgentAnswer>), ApiErrors))]
pub(crate) async fn approve(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<ApproveAgent>,
) -> Result<Response, ApiError> {
    let ApproveAgent {
        client_id,
        redirect_uri,
        code_challenge,
        state,
        scopes,
        days,
    } = parameters;
    let scopes = scopes.map(|scopes| scopes.into_iter().map(Scope::from).collect::<Scopes>());
    let approval = Approval {
        request: request(client_id, redirect_uri)?,
        code_challenge: code_challenge.unwrap_or_default(),
        state,
        scopes,
        days: days.unwrap_or(DEFAULT_DAYS),
    };
    let redirect_to = app.agent_access.answer(&user.id, approval)?;
    Ok(reply::one(AgentAnswer { redirect_to }, &fields))
}

fn request(
    client_id: Option<String>,
    redirect_uri: Option<String>,
) -> Result<AppRequest, ApiError> {
    let required = |name: &str, value: Option<String>| {
        value.ok_or_else(|| ApiError::BadRequest(format!("{name} is required")))
    };
    Ok(AppRequest {
        client_id: required("client_id", client_id)?,
        redirect_uri: required("redirect_uri", redirect_uri)?,
    })
}

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> ApiError {
        match error {
            AccessError::Engine(error) => ApiError::Engine(error),
            error => ApiError::BadRequest(error.to_string()),
        }
    }
}
