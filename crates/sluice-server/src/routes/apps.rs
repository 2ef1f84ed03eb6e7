//! Apps: registered by the operator, visible to all users.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use http::{
    StatusCode,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE},
};
use sluice_api::{
    App, AppOauth, AppsOrder, AppsQuery, AuthType, CustomField, Data, FieldQuery, List, ListedApp,
    OauthClient, PageQuery, RegisterApp, SetOauthClient,
};
use sluice_app::{AppFilter, AppOrder, Listing, NewApp, NewClient};
use sluice_infra::{Infra, Settings};
use sluice_model::{AppAuth, ClientAuthentication, Cursor, KeyField, OauthSettings};
use sluice_store::apps;

use crate::{
    actor::OperatorAuthor,
    auth::AuthUser,
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
#[utoipa::path(post, path = "/apps", tag = "apps", operation_id = "registerApp", params(FieldQuery), request_body = RegisterApp,
    responses((status = 200, description = "The app", body = Data<App>), ApiErrors))]
pub(crate) async fn register(
    OperatorAuthor(actor): OperatorAuthor,
    State(services): State<Arc<sluice_app::App>>,
    State(infra): State<Infra>,
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
    let app = services.apps.register(&actor, new).await?;
    Ok(reply::one(on_the_wire(app, &infra.settings), &fields))
}

/// Set up the OAuth client of an app
///
/// The catalogue knows the addresses of many providers, so that the id and the secret of the client are enough. For the operator
/// only. For other users this path does not exist.
#[utoipa::path(put, path = "/apps/{id_or_slug}/oauth_client", tag = "apps", operation_id = "setOauthClient",
    params(("id_or_slug" = String, Path), FieldQuery), request_body = SetOauthClient,
    responses((status = 200, description = "The app", body = Data<App>), ApiErrors))]
pub(crate) async fn set_oauth_client(
    OperatorAuthor(actor): OperatorAuthor,
    State(services): State<Arc<sluice_app::App>>,
    State(infra): State<Infra>,
    AppPath(id_or_slug): AppPath,
    JsonBody { parameters, fields }: JsonBody<SetOauthClient>,
) -> Result<Response, ApiError> {
    let client = NewClient {
        id: parameters
            .client_id
            .ok_or_else(|| ApiError::bad_request("client_id is required"))?,
        secret: parameters.client_secret,
        scopes: parameters.scopes,
        fields: parameters.fields,
    };
    let app = services.apps.set_client(&actor, id_or_slug, client).await?;
    Ok(reply::one(on_the_wire(app, &infra.settings), &fields))
}

/// The apps of this server
///
/// Apps that were registered, and apps of the catalogue.
#[utoipa::path(get, path = "/apps", tag = "apps", operation_id = "listApps", params(AppsQuery, PageQuery, FieldQuery),
    responses((status = 200, description = "A page of apps", body = List<ListedApp>), ApiErrors))]
pub(crate) async fn list(
    _: AuthUser,
    State(services): State<Arc<sluice_app::App>>,
    State(infra): State<Infra>,
    Query(query): Query<AppsQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let order = match query.sort {
        AppsOrder::CreatedAt => AppOrder::Age,
        AppsOrder::Popularity => AppOrder::Popularity,
    };
    let filter = AppFilter {
        text: without_nul("q", query.q)?.unwrap_or_default(),
        has_components: query.has_components,
        has_sources: query.has_triggers,
        has_actions: query.has_actions,
    };
    let Listing { total, rows } = services.apps.list(filter, order, page).await?;
    let page_info = page::list(total, rows.iter().collect(), |listed| cursor_of(listed)).page_info;
    let listed = rows.into_iter().map(|listed| ListedApp {
        app: on_the_wire(listed.app, &infra.settings),
        sources: listed.components.sources,
        actions: listed.components.actions,
    });
    let data = listed.collect();
    Ok(reply::many(
        List { page_info, data },
        &FieldSelection::new(&fields),
    ))
}

/// An app, by slug or id
///
/// With the fields of its accounts, and the state of its OAuth client.
#[utoipa::path(get, path = "/apps/{id_or_slug}", tag = "apps", operation_id = "getApp",
    params(("id_or_slug" = String, Path), FieldQuery),
    responses((status = 200, description = "The app", body = Data<App>), ApiErrors))]
pub(crate) async fn get(
    _: AuthUser,
    State(services): State<Arc<sluice_app::App>>,
    State(infra): State<Infra>,
    AppPath(id_or_slug): AppPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let app = services.apps.get(id_or_slug).await?;
    Ok(reply::one(
        on_the_wire(app, &infra.settings),
        &FieldSelection::new(&fields),
    ))
}

/// Remove an app that has no accounts
///
/// For the operator only. For other users this path does not exist.
#[utoipa::path(delete, path = "/apps/{id_or_slug}", tag = "apps", operation_id = "removeApp",
    params(("id_or_slug" = String, Path)),
    responses((status = 204, description = "Removed"), ApiErrors))]
pub(crate) async fn remove(
    OperatorAuthor(actor): OperatorAuthor,
    State(services): State<Arc<sluice_app::App>>,
    AppPath(id_or_slug): AppPath,
) -> Result<StatusCode, ApiError> {
    services.apps.delete(&actor, id_or_slug).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) fn on_the_wire(app: apps::App, settings: &Settings) -> App {
    let custom_fields_json = serde_json::to_string(app.auth.key_fields());
    let public_url = &settings.public_url;
    App {
        img_src: sluice_catalogue::has_icon(&app.slug)
            .then(|| format!("{public_url}/app-icons/{}.svg", app.slug)),
        id: app.id,
        name_slug: app.slug,
        name: app.name,
        auth_type: match &app.auth {
            AppAuth::None => AuthType::None,
            AppAuth::Keys { .. } => AuthType::Keys,
            AppAuth::Oauth(_) => AuthType::Oauth,
        },
        description: app.description,
        custom_fields_json: custom_fields_json.expect("all keys of fields are strings"),
        oauth: match app.auth {
            AppAuth::Oauth(settings) => Some(app_oauth(*settings, public_url)),
            AppAuth::None | AppAuth::Keys { .. } => None,
        },
    }
}

fn app_oauth(settings: OauthSettings, public_url: &str) -> AppOauth {
    AppOauth {
        is_ready: settings.client_id.is_some(),
        client_id: settings.client_id,
        scopes: settings.scopes,
        authorization_url: settings.authorization_url,
        token_url: settings.token_url,
        developer_url: settings.developer_url,
        redirect_uri: format!("{public_url}/oauth/callback"),
    }
}

/// The icon of an app of the catalogue.
pub(crate) async fn icon(Path(file): Path<String>) -> Response {
    let svg = file
        .strip_suffix(".svg")
        .and_then(sluice_catalogue::icon_svg);
    match svg {
        Some(svg) => (
            [
                (CONTENT_TYPE, "image/svg+xml"),
                (CACHE_CONTROL, "public, max-age=86400"),
                (CONTENT_SECURITY_POLICY, "default-src 'none'"),
            ],
            svg,
        )
            .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn cursor_of(listed: &sluice_app::ListedApp) -> String {
    page::cursor(listed.rank, listed.app.id.as_str())
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
        client_id: Some(client.client_id),
        scopes: client.scopes,
        scope_separator: client.scope_separator.unwrap_or_else(|| " ".to_owned()),
        authorize_params: client.authorize_params,
        token_params: client.token_params,
        client_authentication: match client.client_authentication {
            Some(sluice_api::ClientAuthentication::Post) => ClientAuthentication::Post,
            Some(sluice_api::ClientAuthentication::Basic) | None => ClientAuthentication::Basic,
        },
        pkce: client.pkce.unwrap_or(true),
        fields: client.fields.into_iter().map(key_field).collect(),
        developer_url: client.developer_url,
    };
    (settings, client.client_secret)
}
