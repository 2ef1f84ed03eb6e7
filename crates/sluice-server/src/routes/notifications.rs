//! Notifications of failures and recoveries.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};
use sluice_api::{
    Data, FieldQuery, NotificationSettings, NotificationState, NotificationTest,
    NotificationTestResult, SentNotification, UpdateNotifications,
};
use sluice_app::{App, NotificationChange, NotificationView, SendResult};
use sluice_store::sends::{SendState, notifications};

use crate::{
    actor::actor_of,
    auth::{AuthUser, Caller},
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    query::Query,
    reply,
    wrong_keys::ClientAddress,
};

/// Your notifications
///
/// Where failures and recoveries are reported to, and which ones.
#[utoipa::path(get, path = "/users/me/notifications", tag = "notifications", operation_id = "getNotifications", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The settings", body = Data<NotificationSettings>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let view = app.notifications.get(&user).await?;
    Ok(reply::one(on_the_wire(view), &FieldSelection::new(&fields)))
}

/// Change your notifications
///
/// When a webhook is set for the first time, the response is the only one that shows its `signing_secret`.
#[utoipa::path(put, path = "/users/me/notifications", tag = "notifications", operation_id = "updateNotifications", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    request_body = UpdateNotifications, responses((status = 200, description = "The settings",
    body = Data<NotificationSettings>), ApiErrors))]
pub(crate) async fn update(
    caller: Caller,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<UpdateNotifications>,
) -> Result<Response, ApiError> {
    let UpdateNotifications {
        mail,
        mail_to,
        webhook_url,
        sources,
        workflows,
        webhooks,
        failures,
        webhook_seconds,
        quiet_seconds,
    } = parameters;
    let change = NotificationChange {
        mail,
        mail_to,
        webhook_url,
        sources,
        workflows,
        webhooks,
        failures,
        webhook_seconds,
        quiet_seconds,
    };
    let actor = actor_of(&caller, Some(address));
    let view = app
        .notifications
        .update(&actor, &caller.user, change)
        .await?;
    Ok(reply::one(on_the_wire(view), &fields))
}

/// Rotate the secret of your notifications
///
/// The response has the new `signing_secret`. For 24 hours notifications are signed with both secrets.
#[utoipa::path(post, path = "/users/me/notifications/rotate_secret", tag = "notifications",
    operation_id = "rotateNotificationSecret", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The settings, with the new secret", body = Data<NotificationSettings>), ApiErrors))]
pub(crate) async fn rotate_secret(
    caller: Caller,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    State(app): State<Arc<App>>,
    JsonBody { fields, .. }: JsonBody<FieldQuery>,
) -> Result<Response, ApiError> {
    let actor = actor_of(&caller, Some(address));
    let rotated = app.notifications.rotate_secret(&actor, &caller.user);
    let view = rotated.await?;
    Ok(reply::one(on_the_wire(view), &fields))
}

/// Send a test notification now
///
/// The response has the result of each way that is on. Nothing is retried. There are 10 tests in an hour.
#[utoipa::path(post, path = "/users/me/notifications/test", tag = "notifications", operation_id = "testNotifications", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The results", body = Data<NotificationTest>), ApiErrors))]
pub(crate) async fn test(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    JsonBody { fields, .. }: JsonBody<FieldQuery>,
) -> Result<Response, ApiError> {
    let results = app.notifications.test(&user).await?;
    let test = NotificationTest {
        mail: results.mail.map(result),
        webhook: results.webhook.map(result),
    };
    Ok(reply::one(test, &fields))
}

fn result(SendResult { sent, result }: SendResult) -> NotificationTestResult {
    NotificationTestResult { sent, result }
}

fn on_the_wire(view: NotificationView) -> NotificationSettings {
    let rules = view.rules;
    NotificationSettings {
        mail: view.mail,
        mail_to: view.mail_to,
        mail_address: view.mail_address,
        mail_available: view.mail_available,
        webhook_url: view.webhook_url,
        signing_secret: view.signing_secret,
        sources: rules.sources,
        workflows: rules.workflows,
        webhooks: rules.webhooks,
        failures: rules.failures,
        webhook_seconds: rules.webhook_seconds,
        quiet_seconds: rules.quiet_seconds,
        last_mail: view.last_mail.map(sent),
        last_webhook: view.last_webhook.map(sent),
    }
}

fn sent(row: notifications::SentNotification) -> SentNotification {
    SentNotification {
        state: match row.state {
            SendState::Held | SendState::Pending => NotificationState::Pending,
            SendState::Sent => NotificationState::Sent,
            SendState::Failed => NotificationState::Failed,
        },
        created_at: row.created_at,
        updated_at: row.updated_at,
        result: row.result,
    }
}
