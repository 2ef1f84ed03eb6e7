//! Webhooks: create, read, list, update, delete and rotate secrets.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{
    CreateWebhook, Data, FieldQuery, List, PageQuery, UpdateWebhook, Webhook, WebhookDeliveries,
    WebhookHealth, WebhookQuery, WebhooksQuery,
};
use sluice_app::{App, Listing, NewWebhook, WebhookChange, WebhookWithSecret};
use sluice_model::{Cursor, UserId};
use sluice_store::{delivery_lists::Tally, webhooks};

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::WebhookPath,
    query::Query,
    reply,
    routes::{dates::epoch_seconds, text_parameters::search_text, webhook_health},
};

/// Create a webhook
///
/// The response is the only one that shows its `signing_secret`.
#[utoipa::path(post, path = "/webhooks", tag = "webhooks", operation_id = "createWebhook", params(FieldQuery),
    request_body = CreateWebhook,
    responses((status = 200, description = "The webhook, with its secret", body = Data<Webhook>), ApiErrors))]
pub(crate) async fn create(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<CreateWebhook>,
) -> Result<Response, ApiError> {
    let CreateWebhook {
        url,
        name,
        description,
        concurrency,
    } = parameters;
    let new = NewWebhook {
        url: url.ok_or_else(|| ApiError::bad_request("url is required"))?,
        name,
        description,
        concurrency,
    };
    let created = app.webhooks.create(&actor, new).await?;
    Ok(reply::one(with_secret(&app, created).await?, &fields))
}

/// The webhooks of the current user
///
/// Newest first, with the health of each.
#[utoipa::path(get, path = "/users/me/webhooks", tag = "webhooks", operation_id = "listWebhooks",
    params(WebhooksQuery, PageQuery, WebhookQuery, FieldQuery),
    responses((status = 200, description = "A page of webhooks", body = List<Webhook>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(WebhooksQuery { q }): Query<WebhooksQuery>,
    Query(page): Query<PageQuery>,
    Query(query): Query<WebhookQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let expand = parse_expand(&query)?;
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let text = search_text(q)?;
    let Listing { total, rows } = app.webhooks.list(&user.id, text.as_deref(), page).await?;
    let page_info = page::list(total, rows.iter().collect(), |row| cursor_of(row)).page_info;
    let tallies = tallies(&app, &rows, expand).await?;
    let health = app.webhooks.health(&rows).await?;
    let shown = |((row, deliveries), health)| Webhook {
        deliveries,
        ..on_the_wire(row, None, webhook_health::on_the_wire(health))
    };
    let data = rows
        .into_iter()
        .zip(tallies)
        .zip(health)
        .map(shown)
        .collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// A webhook
///
/// With its health.
#[utoipa::path(get, path = "/webhooks/{id}", tag = "webhooks", operation_id = "getWebhook",
    params(("id" = String, Path), WebhookQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The webhook", body = Data<Webhook>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    WebhookPath(id): WebhookPath,
    Query(query): Query<WebhookQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let expand = parse_expand(&query)?;
    let webhook = app.webhooks.get(&user.id, &id).await?;
    let mut tallies = tallies(&app, std::slice::from_ref(&webhook), expand).await?;
    let health = webhook_health::of(&app, &webhook).await?;
    let webhook = Webhook {
        deliveries: tallies.pop().flatten(),
        ..on_the_wire(webhook, Some(user.id), health)
    };
    Ok(reply::one(webhook, &FieldSelection::new(&fields)))
}

/// Update a webhook
///
/// Absent fields stay the same.
#[utoipa::path(put, path = "/webhooks/{id}", tag = "webhooks", operation_id = "updateWebhook",
    params(("id" = String, Path), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    request_body = UpdateWebhook, responses((status = 200, description = "The webhook", body = Data<Webhook>), ApiErrors))]
pub(crate) async fn update(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WebhookPath(id): WebhookPath,
    JsonBody { parameters, fields }: JsonBody<UpdateWebhook>,
) -> Result<Response, ApiError> {
    if parameters == UpdateWebhook::default() {
        return Err(ApiError::bad_request(
            "there is nothing to change: give one of url, name, description, active and concurrency",
        ));
    }
    let UpdateWebhook {
        url,
        name,
        description,
        active,
        concurrency,
    } = parameters;
    let change = WebhookChange {
        url,
        name,
        description,
        active,
        concurrency,
    };
    let webhook = app.webhooks.update(&actor, &id, change).await?;
    let health = webhook_health::of(&app, &webhook).await?;
    Ok(reply::one(
        on_the_wire(webhook, Some(actor.user_id), health),
        &fields,
    ))
}

/// Delete a webhook, its subscriptions and its deliveries
///
/// Deliveries that wait are not made.
#[utoipa::path(delete, path = "/webhooks/{id}", tag = "webhooks", operation_id = "deleteWebhook", params(("id" = String, Path)),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WebhookPath(id): WebhookPath,
) -> Result<StatusCode, ApiError> {
    app.webhooks.delete(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Rotate the secret of a webhook
///
/// The response has the new `signing_secret`. For 24 hours deliveries are signed with both secrets.
#[utoipa::path(post, path = "/webhooks/{id}/rotate_secret", tag = "webhooks", operation_id = "rotateWebhookSecret",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The webhook, with the new secret", body = Data<Webhook>), ApiErrors))]
pub(crate) async fn rotate_secret(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WebhookPath(id): WebhookPath,
    JsonBody { fields, .. }: JsonBody<FieldQuery>,
) -> Result<Response, ApiError> {
    let rotated = app.webhooks.rotate_secret(&actor, &id).await?;
    Ok(reply::one(with_secret(&app, rotated).await?, &fields))
}

/// The optional parts of a webhook in responses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expand {
    Nothing,
    Deliveries,
}

fn parse_expand(query: &WebhookQuery) -> Result<Expand, ApiError> {
    match query.expand.as_deref() {
        None => Ok(Expand::Nothing),
        Some("deliveries") => Ok(Expand::Deliveries),
        Some(_) => Err(ApiError::bad_request("expand must be \"deliveries\"")),
    }
}

/// The counts of deliveries, one item per webhook.
async fn tallies(
    app: &App,
    webhooks: &[webhooks::Webhook],
    expand: Expand,
) -> Result<Vec<Option<WebhookDeliveries>>, ApiError> {
    if expand == Expand::Nothing {
        return Ok(vec![None; webhooks.len()]);
    }
    let shown = |tally: Tally| WebhookDeliveries {
        waiting: tally.waiting,
        failed: tally.failed,
        delivered_at: tally.delivered_at,
    };
    let tallies = app.webhooks.tallies(webhooks).await?;
    Ok(tallies.into_iter().map(shown).map(Some).collect())
}

async fn with_secret(app: &App, created: WebhookWithSecret) -> Result<Webhook, ApiError> {
    let WebhookWithSecret {
        webhook,
        signing_secret,
    } = created;
    let owner = webhook.user_id.clone();
    let health = webhook_health::of(app, &webhook).await?;
    Ok(Webhook {
        signing_secret: Some(signing_secret),
        ..on_the_wire(webhook, Some(owner), health)
    })
}

fn cursor_of(webhook: &webhooks::Webhook) -> String {
    page::cursor(webhook.created_at, webhook.id.as_str())
}

fn on_the_wire(
    webhook: webhooks::Webhook,
    user_id: Option<UserId>,
    health: WebhookHealth,
) -> Webhook {
    Webhook {
        id: webhook.id,
        user_id,
        name: webhook.name,
        description: webhook.description,
        url: webhook.url,
        active: webhook.active,
        concurrency: webhook.concurrency,
        health,
        created_at: epoch_seconds(webhook.created_at),
        updated_at: epoch_seconds(webhook.updated_at),
        signing_secret: None,
        deliveries: None,
    }
}
