//! Deliveries to webhooks: their status, and replays.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde_json::value::RawValue;
use sluice_api::{
    Data, DeliveriesQuery, Delivery, DeliveryAttempt, DeliveryState, FieldQuery, List,
    OfWebhookQuery, PageQuery, ReplayDeliveries, ReplayState, ReplayedDeliveries,
};
use sluice_app::{App, Listing, ReplayRange, ReplayedDelivery};
use sluice_model::{Cursor, UserId, WebhookId};
use sluice_store::{
    deliveries,
    delivery_history::{self, Finished},
    delivery_lists::Selection,
};

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    instant,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::{DeliveryPath, WebhookPath},
    query::Query,
    reply,
    request_trace::Cause,
    routes::{dates::epoch_seconds, event_parameters::parse_expand, summary::Detail},
};

/// The deliveries to a webhook, newest first
///
/// `state`, `since` and `until` select deliveries.
#[utoipa::path(get, path = "/webhooks/{id}/deliveries", tag = "deliveries", operation_id = "listDeliveries",
    params(("id" = String, Path), PageQuery, DeliveriesQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of deliveries", body = List<Delivery>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    WebhookPath(id): WebhookPath,
    Query(page): Query<PageQuery>,
    Query(query): Query<DeliveriesQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    list_page(&app, &user.id, Some(&id), &page, query, &fields).await
}

/// The deliveries to all webhooks of the current user, newest first
///
/// Of one webhook with `webhook_id`. `state`, `since` and `until` select deliveries.
#[utoipa::path(get, path = "/deliveries", tag = "deliveries", operation_id = "listAllDeliveries",
    params(PageQuery, OfWebhookQuery, DeliveriesQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of deliveries", body = List<Delivery>), ApiErrors))]
pub(crate) async fn list_all(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(page): Query<PageQuery>,
    Query(OfWebhookQuery { webhook_id }): Query<OfWebhookQuery>,
    Query(query): Query<DeliveriesQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let parse = |id: String| WebhookId::parse(&id).ok_or(ApiError::NotFound("webhook"));
    let webhook = webhook_id.map(parse).transpose()?;
    list_page(&app, &user.id, webhook.as_ref(), &page, query, &fields).await
}

async fn list_page(
    app: &App,
    user: &UserId,
    webhook: Option<&WebhookId>,
    page: &PageQuery,
    query: DeliveriesQuery,
    fields: &FieldQuery,
) -> Result<Response, ApiError> {
    let DeliveriesQuery {
        state,
        since,
        until,
        expand,
    } = query;
    let page = PageRequest::parse(page, Cursor::decode)?.into();
    let selection = Selection {
        state: state.map(stored_state),
        since: parse_instant("since", since.as_deref())?,
        until: parse_instant("until", until.as_deref())?,
    };
    let detail = match parse_expand(expand.as_deref())? {
        Detail::Whole => delivery_history::Detail::WithEvent,
        Detail::Preview => delivery_history::Detail::WithoutEvent,
    };
    let Listing { total, rows } = app
        .webhooks
        .deliveries(user, webhook, selection, page, detail)
        .await?;
    let page_info = page::list(total, rows.iter().collect(), |row| cursor_of(row)).page_info;
    let data: Result<_, _> = rows.into_iter().map(on_the_wire).collect();
    let list = List {
        page_info,
        data: data?,
    };
    Ok(reply::many(list, &FieldSelection::new(fields)))
}

/// A delivery, with its event
///
/// The event is whole, of any size.
#[utoipa::path(get, path = "/deliveries/{id}", tag = "deliveries", operation_id = "getDelivery",
    params(("id" = String, Path), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The delivery", body = Data<Delivery>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    DeliveryPath(id): DeliveryPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let delivery = on_the_wire(app.webhooks.delivery(&user.id, &id).await?)?;
    Ok(reply::one(delivery, &FieldSelection::new(&fields)))
}

/// Replay a delivery
///
/// With the same id, immediately, and with as many retries as a new delivery. `attempt` of the response is the result. It is
/// absent when too many such attempts are under way: then the delivery is due at once.
#[utoipa::path(post, path = "/deliveries/{id}/replay", tag = "deliveries", operation_id = "replayDelivery",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The delivery", body = Data<Delivery>), ApiErrors))]
pub(crate) async fn replay(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    DeliveryPath(id): DeliveryPath,
    Cause(trace): Cause,
    JsonBody { fields, .. }: JsonBody<FieldQuery>,
) -> Result<Response, ApiError> {
    let replayed = app.webhooks.replay_delivery(&actor, &id, trace).await?;
    Ok(reply::one(with_attempt(replayed)?, &fields))
}

/// Retry the next delivery of a webhook
///
/// Immediately, also while the webhook is paused. `attempt` of the response is the result. After a success to a failing
/// webhook, all its pending deliveries are due at once.
#[utoipa::path(post, path = "/webhooks/{id}/retry", tag = "deliveries", operation_id = "retryWebhook",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The delivery", body = Data<Delivery>), ApiErrors))]
pub(crate) async fn retry(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WebhookPath(id): WebhookPath,
    Cause(trace): Cause,
    JsonBody { fields, .. }: JsonBody<FieldQuery>,
) -> Result<Response, ApiError> {
    let retried = app.webhooks.retry(&actor, &id, trace).await?;
    Ok(reply::one(with_attempt(retried)?, &fields))
}

/// Replay deliveries of a webhook
///
/// Without a body, those that failed. `state`, `since` and `until` select others.
#[utoipa::path(post, path = "/webhooks/{id}/replay", tag = "deliveries", operation_id = "replayWebhook",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    request_body = ReplayDeliveries, responses((status = 200, description = "The number of deliveries that are due again",
    body = Data<ReplayedDeliveries>), ApiErrors))]
pub(crate) async fn replay_to_webhook(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WebhookPath(id): WebhookPath,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<ReplayDeliveries>,
) -> Result<Response, ApiError> {
    let range = replay_range(&parameters)?;
    let replay = app.webhooks.replay(&actor, &id, range, trace);
    let replayed = replay.await?;
    Ok(reply::one(ReplayedDeliveries { replayed }, &fields))
}

/// Replay deliveries of all active webhooks of the current user
///
/// Without a body, those that failed. `state`, `since` and `until` select others.
#[utoipa::path(post, path = "/deliveries/replay", tag = "deliveries", operation_id = "replayDeliveries", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    request_body = ReplayDeliveries, responses((status = 200, description = "The number of deliveries that are due again",
    body = Data<ReplayedDeliveries>), ApiErrors))]
pub(crate) async fn replay_all(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<ReplayDeliveries>,
) -> Result<Response, ApiError> {
    let range = replay_range(&parameters)?;
    let replayed = app.webhooks.replay_all(&actor, range, trace).await?;
    Ok(reply::one(ReplayedDeliveries { replayed }, &fields))
}

fn replay_range(parameters: &ReplayDeliveries) -> Result<ReplayRange, ApiError> {
    let ReplayDeliveries {
        state,
        since,
        until,
    } = parameters;
    Ok(ReplayRange {
        which: match state {
            None | Some(ReplayState::Failed) => Finished::Failed,
            Some(ReplayState::Delivered) => Finished::Delivered,
            Some(ReplayState::All) => Finished::Either,
        },
        since: parse_instant("since", since.as_deref())?,
        until: parse_instant("until", until.as_deref())?,
    })
}

fn parse_instant(name: &str, text: Option<&str>) -> Result<Option<i64>, ApiError> {
    text.map(|text| instant::parse(name, text)).transpose()
}

fn cursor_of(delivery: &delivery_history::Delivery) -> String {
    page::cursor(delivery.created_at, delivery.id.as_str())
}

fn with_attempt(replayed: ReplayedDelivery) -> Result<Delivery, ApiError> {
    let attempt = replayed.attempt.map(|attempt| DeliveryAttempt {
        at: attempt.at,
        status: attempt.status,
        latency_ms: attempt.latency_ms,
        response: attempt.response,
        error: attempt.error,
    });
    Ok(Delivery {
        attempt,
        ..on_the_wire(replayed.delivery)?
    })
}

fn on_the_wire(delivery: delivery_history::Delivery) -> Result<Delivery, ApiError> {
    let corrupt =
        |error: serde_json::Error| ApiError::internal("the stored delivery is corrupt", error);
    Ok(Delivery {
        id: delivery.id,
        webhook_id: delivery.webhook_id,
        emitter_id: delivery.emitter_id,
        event_id: delivery.event_id,
        event_name: delivery.channel,
        summary: delivery.summary,
        state: shown_state(delivery.state),
        attempts: RawValue::from_string(delivery.attempts).map_err(corrupt)?,
        next_attempt_at: delivery.due_at,
        created_at: epoch_seconds(delivery.created_at),
        event: delivery
            .event
            .map(RawValue::from_string)
            .transpose()
            .map_err(corrupt)?,
        attempt: None,
    })
}

fn stored_state(state: DeliveryState) -> deliveries::DeliveryState {
    match state {
        DeliveryState::Pending => deliveries::DeliveryState::Pending,
        DeliveryState::Delivered => deliveries::DeliveryState::Delivered,
        DeliveryState::Failed => deliveries::DeliveryState::Failed,
    }
}

fn shown_state(state: deliveries::DeliveryState) -> DeliveryState {
    match state {
        deliveries::DeliveryState::Pending => DeliveryState::Pending,
        deliveries::DeliveryState::Delivered => DeliveryState::Delivered,
        deliveries::DeliveryState::Failed => DeliveryState::Failed,
    }
}
