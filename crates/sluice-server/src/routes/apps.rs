//! Apps: registered by the operator, visible to all users.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{
    App, AppsQuery, AuthType, CustomField, Data, FieldQuery, List, OauthClient, PageQuery,
    RegisterApp,
};
use sluice_app::{Listing, NewApp};
use sluice_model::{AppAuth, ClientAuthentication, Cursor, KeyField, OauthSettings};
use sluice_store::apps;

use crate::{
    auth::{AuthUser, Operator},
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::AppPath,
    query::Query,
    reply,
    routes::text_parameters::without_nul,
};

/// Register an app, or update the app with this slug
///
/// For the operator only. For other users this path does not exist.
#[utoipa::path(post, path = "/apps", tag = "apps", operation_id = "registerApp", request_body = RegisterApp,
    responses((status = 200, body = Data<App>), ApiErrors))]
pub(crate) async fn register(
    _: Operator,
    State(services): State<Arc<sluice_app::App>>,
    JsonBody { parameters, fields }: JsonBody<RegisterApp>,
) -> Result<Response, ApiError> {
    let RegisterApp {
        name_slug,
        name,
        description,
        auth_type,
        custom_fields,
        oauth,
    } = parameters;
    let missing = |name: &str| ApiError::BadRequest(format!("{name} is required"));
    let slug = name_slug.ok_or_else(|| missing("name_slug"))?;
    let (auth, client_secret) = match auth_type.ok_or_else(|| missing("auth_type"))? {
        AuthType::None => (AppAuth::None, None),
        AuthType::Keys => {
            let fields = custom_fields.ok_or_else(|| missing("custom_fields"))?;
            let fields = fields.into_iter().map(key_field).collect();
            (AppAuth::Keys { fields }, None)
        }
        AuthType::Oauth => {
            let (settings, secret) = oauth_client(oauth.ok_or_else(|| missing("oauth"))?);
            (AppAuth::Oauth(Box::new(settings)), secret)
        }
    };
    let new = NewApp {
        slug,
        name,
        description,
        auth,
        client_secret,
    };
    let app = services.apps.register(new).await?;
    Ok(reply::one(on_the_wire(app), &fields))
}

/// The apps of this server
#[utoipa::path(get, path = "/apps", tag = "apps", operation_id = "listApps", params(AppsQuery, PageQuery, FieldQuery),
    responses((status = 200, body = List<App>), ApiErrors))]
pub(crate) async fn list(
    _: AuthUser,
    State(services): State<Arc<sluice_app::App>>,
    Query(AppsQuery { q }): Query<AppsQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let text = without_nul("q", q)?.unwrap_or_default();
    let Listing { total, rows } = services.apps.list(text, page).await?;
    let page_info = page::list(total, rows.iter().collect(), |app| cursor_of(app)).page_info;
    let data = rows.into_iter().map(on_the_wire).collect();
    Ok(reply::many(
        List { page_info, data },
        &FieldSelection::new(&fields),
    ))
}

/// An app, by slug or id
#[utoipa::path(get, path = "/apps/{id_or_slug}", tag = "apps", operation_id = "getApp", params(("id_or_slug" = String, Path), FieldQuery),
    responses((status = 200, body = Data<App>), ApiErrors))]
pub(crate) async fn get(
    _: AuthUser,
    State(services): State<Arc<sluice_app::App>>,
    AppPath(id_or_slug): AppPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let app = services.apps.get(id_or_slug).await?;
    Ok(reply::one(on_the_wire(app), &FieldSelection::new(&fields)))
}

/// Remove an app that has no accounts
///
/// For the operator only. For other users this path does not exist.
#[utoipa::path(delete, path = "/apps/{id_or_slug}", tag = "apps", operation_id = "removeApp", params(("id_or_slug" = String, Path)),
    responses((status = 204, description = "Removed"), ApiErrors))]
pub(crate) async fn remove(
    _: Operator,
    State(services): State<Arc<sluice_app::App>>,
    AppPath(id_or_slug): AppPath,
) -> Result<StatusCode, ApiError> {
    services.apps.delete(id_or_slug).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) fn on_the_wire(app: apps::App) -> App {
    let custom_fields_json = serde_json::to_string(app.auth.key_fields());
    App {
        id: app.id,
        name_slug: app.slug,
        name: app.name,
        auth_type: match app.auth {
            AppAuth::None => AuthType::None,
            AppAuth::Keys { .. } => AuthType::Keys,
            AppAuth::Oauth(_) => AuthType::Oauth,
        },
        description: app.description,
        custom_fields_json: custom_fields_json.expect("all keys of fields are strings"),
    }
}

fn cursor_of(app: &apps::App) -> String {
    page::cursor(app.created_at, app.id.as_str())
}

fn key_field(field: CustomField) -> KeyField {
    let CustomField {
        name,
        label,
        description,
        default,
        optional,
        kind,
    } = field;
    KeyField {
        name,
        label,
        description,
        default,
        optional,
        kind,
    }
}

fn oauth_client(client: OauthClient) -> (OauthSettings, Option<String>) {
    let settings = OauthSettings {
        authorization_url: client.authorization_url,
        token_url: client.token_url,
        revocation_url: client.revocation_url,
        userinfo_url: client.userinfo_url,
        uid_field: client.uid_field.unwrap_or_else(|| "sub".to_owned()),
        client_id: client.client_id,
        scopes: client.scopes,
        scope_separator: client.scope_separator.unwrap_or_else(|| " ".to_owned()),
        authorize_params: client.authorize_params,
        token_params: client.token_params,
        client_authentication: match client.client_authentication {
            Some(sluice_api::ClientAuthentication::Post) => ClientAuthentication::Post,
            Some(sluice_api::ClientAuthentication::Basic) | None => ClientAuthentication::Basic,
        },
        pkce: client.pkce.unwrap_or(true),
    };
    (settings, client.client_secret)
}
