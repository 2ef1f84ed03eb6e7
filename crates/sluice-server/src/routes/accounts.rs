//! The accounts of a user with apps.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{
    Account, AccountQuery, AccountUse, AccountsQuery, CreateAccount, Data, FieldQuery,
    IncludeCredentials, List, PageQuery, UpdateAccount,
};
use sluice_app::{AccountChange, AccountView, App, Listing, NewAccount};
use sluice_infra::Infra;
use sluice_model::{Cursor, Scope};
use sluice_store::{account_uses::Use, accounts::Health};

use crate::{
    actor::Author,
    auth::{AuthUser, Caller},
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::AccountPath,
    query::Query,
    reply,
    routes::{activity::emitter_kind, apps, dates::iso_date, text_parameters::without_nul},
};

/// Create an account from keys, or from existing tokens
///
/// `credentials` holds the fields of a `keys` app, or the tokens of an `oauth` app that were issued elsewhere.
#[utoipa::path(post, path = "/accounts", tag = "accounts", operation_id = "createAccount", params(FieldQuery),
    request_body = CreateAccount,
    responses((status = 200, description = "The account, without its credentials", body = Data<Account>), ApiErrors))]
pub(crate) async fn create(
    Author(actor): Author,
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    JsonBody { parameters, fields }: JsonBody<CreateAccount>,
) -> Result<Response, ApiError> {
    let CreateAccount {
        app,
        name,
        credentials,
    } = parameters;
    let new = NewAccount {
        app: app.ok_or_else(|| ApiError::bad_request("app is required"))?,
        name,
        credentials: credentials.unwrap_or_default(),
    };
    let view = services.accounts.create(&actor, new).await?;
    Ok(reply::one(on_the_wire(&services, &infra, view), &fields))
}

/// The accounts of the current user
///
/// Newest first, without their credentials.
#[utoipa::path(get, path = "/accounts", tag = "accounts", operation_id = "listAccounts",
    params(AccountsQuery, PageQuery, FieldQuery),
    responses((status = 200, description = "A page of accounts", body = List<Account>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    Query(AccountsQuery { app }): Query<AccountsQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let app = without_nul("app", app)?;
    let Listing { total, rows } = services.accounts.list(&user.id, app, page).await?;
    let page_info = page::list(total, rows.iter().collect(), |view| cursor_of(view)).page_info;
    let data = rows
        .into_iter()
        .map(|view| on_the_wire(&services, &infra, view))
        .collect();
    Ok(reply::many(
        List { page_info, data },
        &FieldSelection::new(&fields),
    ))
}

/// An account
///
/// Its credentials are shown with `include_credentials` only. A named key needs the scope `deploy` for them.
#[utoipa::path(get, path = "/accounts/{id}", tag = "accounts", operation_id = "getAccount",
    params(("id" = String, Path), AccountQuery, FieldQuery),
    responses((status = 200, description = "The account", body = Data<Account>), ApiErrors))]
pub(crate) async fn get(
    Caller { user, credential }: Caller,
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    AccountPath(id): AccountPath,
    Query(AccountQuery {
        include_credentials,
    }): Query<AccountQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let view = services.accounts.get(&user.id, &id).await?;
    let credentials = match include_credentials {
        IncludeCredentials::Yes => {
            credential.require(Scope::Deploy)?;
            Some(services.accounts.auth(&view)?)
        }
        IncludeCredentials::No => None,
    };
    let account = Account {
        credentials,
        ..on_the_wire(&services, &infra, view)
    };
    Ok(reply::one(account, &FieldSelection::new(&fields)))
}

/// The sources and workflows that use an account
///
/// Sources by their props, and workflows by the props of the steps of their running version. Newest first.
#[utoipa::path(get, path = "/accounts/{id}/uses", tag = "accounts", operation_id = "listAccountUses",
    params(("id" = String, Path), PageQuery, FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of sources and workflows", body = List<AccountUse>), ApiErrors))]
pub(crate) async fn uses(
    AuthUser(user): AuthUser,
    State(services): State<Arc<App>>,
    AccountPath(id): AccountPath,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let Listing { total, rows } = services.accounts.uses(&user.id, &id, page).await?;
    let position = |one: &&Use| page::cursor(one.created_at, one.id.as_str());
    let page_info = page::list(total, rows.iter().collect(), position).page_info;
    let shown = |one: Use| AccountUse {
        kind: emitter_kind(&one.id),
        id: one.id,
        name: one.name,
        active: one.active,
    };
    let data = rows.into_iter().map(shown).collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// Rename an account, or give it new credentials
///
/// Absent fields stay the same. New credentials replace all of the old ones.
#[utoipa::path(put, path = "/accounts/{id}", tag = "accounts", operation_id = "updateAccount",
    params(("id" = String, Path), FieldQuery),
    request_body = UpdateAccount, responses((status = 200, description = "The account, without its credentials",
    body = Data<Account>), ApiErrors))]
pub(crate) async fn update(
    Author(actor): Author,
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    AccountPath(id): AccountPath,
    JsonBody { parameters, fields }: JsonBody<UpdateAccount>,
) -> Result<Response, ApiError> {
    let UpdateAccount { name, credentials } = parameters;
    if name.is_none() && credentials.is_none() {
        return Err(ApiError::bad_request(
            "there is nothing to change: give one of name and credentials",
        ));
    }
    let change = AccountChange { name, credentials };
    let view = services.accounts.update(&actor, &id, change).await?;
    Ok(reply::one(on_the_wire(&services, &infra, view), &fields))
}

/// Delete an account
///
/// Sources that use it fail from then on, and log the error. The provider is asked to revoke its tokens.
#[utoipa::path(delete, path = "/accounts/{id}", tag = "accounts", operation_id = "deleteAccount", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    Author(actor): Author,
    State(services): State<Arc<App>>,
    AccountPath(id): AccountPath,
) -> Result<StatusCode, ApiError> {
    services.accounts.delete(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn cursor_of(AccountView { account, .. }: &AccountView) -> String {
    page::cursor(account.created_at, account.id.as_str())
}

fn on_the_wire(services: &App, infra: &Infra, view: AccountView) -> Account {
    let renewable = services.accounts.is_renewable(&view);
    let AccountView { account, app } = view;
    let error = match account.health {
        Health::Healthy => None,
        Health::Dead(reason) => Some(reason),
    };
    Account {
        id: account.id,
        name: account.name,
        healthy: error.is_none(),
        dead: error.is_some(),
        error,
        app: apps::on_the_wire(app, &infra.settings),
        created_at: iso_date(account.created_at),
        updated_at: iso_date(account.updated_at),
        expires_at: account.expires_at.map(iso_date),
        renewable,
        credentials: None,
    }
}
