//! Users: create, list, change, delete and rotate keys. For operators only.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};
use http::StatusCode;
use sluice_api::{
    CreateUser, CreatedUser, Data, FieldQuery, List, ListedUser, PageQuery, RotatedKey, UpdateUser,
    UserPlan, UsersQuery,
};
use sluice_app::{App, Listing, NewUser, UserChange};
use sluice_engine::EngineError;
use sluice_model::Cursor;
use sluice_store::users::{Plan, User, UserFilter};

use crate::{
    actor::{OperatorAuthor, actor_of},
    auth::{Caller, Operator},
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::UserPath,
    query::Query,
    reply,
    routes::{
        dates::epoch_seconds,
        text_parameters::{search_text, without_nul},
        user_fields,
    },
    wrong_keys::ClientAddress,
};

/// Create a user
///
/// For the operator only. For other users this path does not exist.
#[utoipa::path(post, path = "/users", tag = "users", operation_id = "createUser", params(FieldQuery), request_body = CreateUser,
    responses((status = 200, description = "The user, with the API key", body = Data<CreatedUser>), ApiErrors))]
pub(crate) async fn create(
    OperatorAuthor(actor): OperatorAuthor,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<CreateUser>,
) -> Result<Response, ApiError> {
    let CreateUser {
        username,
        email,
        plan,
        operator,
    } = parameters;
    let plan = plan.unwrap_or_default();
    let new_user = NewUser {
        username: user_fields::required("username", username.as_deref())?,
        email: user_fields::email(email.as_deref())?,
        plan: plan_of(plan),
        operator: operator.unwrap_or_default(),
    };
    let (user, api_key) = app.users.create(&actor, new_user).await?;
    let created = CreatedUser {
        id: user.id,
        username: user.username,
        email: user.email,
        plan,
        api_key: api_key.as_str().to_owned(),
    };
    Ok(reply::one(created, &fields))
}

/// The users of this server
///
/// For the operator only. For other users this path does not exist.
#[utoipa::path(get, path = "/users", tag = "users", operation_id = "listUsers", params(UsersQuery, PageQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of users", body = List<ListedUser>), ApiErrors))]
pub(crate) async fn list(
    _: Operator,
    State(app): State<Arc<App>>,
    Query(UsersQuery { username, q }): Query<UsersQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let username = without_nul("username", username)?;
    let filter = UserFilter::new(username, search_text(q)?.as_deref());
    let Listing { total, rows } = app.users.list(filter, page).await?;
    let page_info = page::list(total, rows.iter().collect(), |user| cursor_of(user)).page_info;
    let data = rows.into_iter().map(listed).collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// Change a user
///
/// Absent fields stay as they are. The last operator stays one. For the operator only. For other users this path does not exist.
#[utoipa::path(put, path = "/users/{id}", tag = "users", operation_id = "updateUser", params(("id" = String, Path), FieldQuery),
    request_body = UpdateUser, extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The user", body = Data<ListedUser>), ApiErrors))]
pub(crate) async fn update(
    OperatorAuthor(actor): OperatorAuthor,
    State(app): State<Arc<App>>,
    UserPath(id): UserPath,
    JsonBody { parameters, fields }: JsonBody<UpdateUser>,
) -> Result<Response, ApiError> {
    let UpdateUser {
        username,
        email,
        plan,
        operator,
    } = parameters;
    let change = user_fields::not_empty(UserChange {
        plan: plan.map(plan_of),
        operator,
        ..user_fields::change(username.as_deref(), email.as_deref())?
    })?;
    let user = app.users.update(&actor, &id, change).await?;
    Ok(reply::one(listed(user), &fields))
}

/// Delete a user and all their data
///
/// Sources and workflows must be deleted first. The last operator cannot be deleted. For the operator only. For other users this path does not exist.
#[utoipa::path(delete, path = "/users/{id}", tag = "users", operation_id = "deleteUser", params(("id" = String, Path)),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    OperatorAuthor(actor): OperatorAuthor,
    State(app): State<Arc<App>>,
    UserPath(id): UserPath,
) -> Result<StatusCode, ApiError> {
    if id == actor.user_id {
        let reason = "you cannot delete yourself: another operator can".to_owned();
        return Err(EngineError::Conflict(reason).into());
    }
    app.users.delete(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Rotate the API key of a user
///
/// The old key becomes invalid, and all sessions of the user end. For the operator only. For other users this path does not exist.
#[utoipa::path(post, path = "/users/{id}/rotate_key", tag = "users", operation_id = "rotateUserKey",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The new key", body = Data<RotatedKey>), ApiErrors))]
pub(crate) async fn rotate_key(
    caller: Caller,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    State(app): State<Arc<App>>,
    UserPath(id): UserPath,
    JsonBody { fields, .. }: JsonBody<FieldQuery>,
) -> Result<Response, ApiError> {
    let Caller { user, credential } = &caller;
    if !user.operator {
        return Err(ApiError::UnknownPath);
    }
    if id == user.id && credential.named_key().is_some() {
        return Err(ApiError::Forbidden(
            "a named API key cannot replace the main key of its user",
        ));
    }
    let actor = actor_of(&caller, Some(address));
    let api_key = app.users.rotate_key(&actor, &id).await?.as_str().to_owned();
    Ok(reply::one(RotatedKey { id, api_key }, &fields))
}

fn cursor_of(user: &User) -> String {
    page::cursor(user.created_at, user.id.as_str())
}

fn plan_of(plan: UserPlan) -> Plan {
    match plan {
        UserPlan::Free => Plan::Free,
        UserPlan::Paid => Plan::Paid,
    }
}

pub(super) fn plan_on_the_wire(plan: Plan) -> UserPlan {
    match plan {
        Plan::Free => UserPlan::Free,
        Plan::Paid => UserPlan::Paid,
    }
}

pub(super) fn listed(user: User) -> ListedUser {
    ListedUser {
        id: user.id,
        username: user.username,
        email: user.email,
        plan: plan_on_the_wire(user.plan),
        operator: user.operator,
        created_at: epoch_seconds(user.created_at),
    }
}
