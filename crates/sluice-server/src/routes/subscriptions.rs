//! Subscriptions, and auto-subscriptions to future emitters.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{AutoSubscribe, Data, FieldQuery, Subscription, SubscriptionParameters};
use sluice_app::App;
use sluice_store::{
    routes::{ERROR_CHANNEL, LOG_CHANNEL, Listener},
    subscriptions::{self, Connection, Emitter},
};

use crate::{
    actor::Author, auth::AuthUser, error::ApiError, fields::FieldSelection, json_body::JsonBody,
    openapi::ApiErrors, query::Query, reply,
};

const MAX_EVENT_NAME: usize = 500;

/// Subscribe a listener to an emitter
///
/// Idempotent: a second request returns the same subscription.
#[utoipa::path(post, path = "/subscriptions", tag = "subscriptions", operation_id = "createSubscription", params(FieldQuery),
    request_body = SubscriptionParameters, responses((status = 200, description = "The subscription",
    body = Data<Subscription>), ApiErrors))]
pub(crate) async fn create(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<SubscriptionParameters>,
) -> Result<Response, ApiError> {
    let connects = connection(parameters)?;
    if connects.emitter == Emitter::CreatedLater {
        return Err(ApiError::bad_request(
            "emitter_id must not be *: POST /auto_subscriptions subscribes to future emitters, and dc_* and p_* are all \
             sources and all workflows",
        ));
    }
    let subscription = app.subscriptions.create(&actor, connects).await?;
    Ok(reply::one(on_the_wire(subscription), &fields))
}

/// Subscribe a listener to all future sources and workflows
///
/// Each gets its own subscription when it is created. `DELETE /subscriptions` with the emitter `*` stops this.
#[utoipa::path(post, path = "/auto_subscriptions", tag = "subscriptions", operation_id = "createAutoSubscription",
    params(FieldQuery),
    request_body = AutoSubscribe, responses((status = 200, description = "The subscription",
    body = Data<Subscription>), ApiErrors))]
pub(crate) async fn create_auto(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<AutoSubscribe>,
) -> Result<Response, ApiError> {
    let AutoSubscribe {
        event_name,
        listener_id,
    } = parameters;
    let connects = Connection {
        emitter: Emitter::CreatedLater,
        event_name: event_name
            .ok_or_else(|| ApiError::bad_request("event_name is required"))
            .and_then(channel_name)?,
        listener: listener(listener_id)?,
    };
    let subscription = app.subscriptions.create(&actor, connects).await?;
    Ok(reply::one(on_the_wire(subscription), &fields))
}

/// Delete a subscription
///
/// The listener gets no further events of this channel.
#[utoipa::path(delete, path = "/subscriptions", tag = "subscriptions", operation_id = "deleteSubscription",
    params(SubscriptionParameters), responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { parameters, .. }: JsonBody<SubscriptionParameters>,
) -> Result<StatusCode, ApiError> {
    app.subscriptions
        .delete(&actor, connection(parameters)?)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// All subscriptions of the current user
///
/// In one list, without pages.
#[utoipa::path(get, path = "/users/me/subscriptions", tag = "subscriptions", operation_id = "listSubscriptions",
    params(FieldQuery), responses((status = 200, description = "The subscriptions", body = Data<Vec<Subscription>>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let rows = app.subscriptions.list(&user.id).await?;
    let subscriptions: Vec<_> = rows.into_iter().map(on_the_wire).collect();
    Ok(reply::all(&subscriptions, &FieldSelection::new(&fields)))
}

fn connection(parameters: SubscriptionParameters) -> Result<Connection, ApiError> {
    let SubscriptionParameters {
        emitter_id,
        event_name,
        listener_id,
    } = parameters;
    let emitter = required("emitter_id", emitter_id)?;
    Ok(Connection {
        event_name: channel_name(event_name.unwrap_or_default())?,
        emitter: Emitter::parse(&emitter).ok_or(ApiError::NotFound("emitter"))?,
        listener: listener(listener_id)?,
    })
}

fn listener(id: Option<String>) -> Result<Listener, ApiError> {
    let id = required("listener_id", id)?;
    Listener::parse(&id).ok_or(ApiError::NotFound("listener"))
}

fn required(name: &str, value: Option<String>) -> Result<String, ApiError> {
    value
        .filter(|value| !value.is_empty())
        .ok_or_else(|| ApiError::BadRequest(format!("{name} is required")))
}

/// Names with `$` are reserved for the system. A reserved name that does not exist is an error.
fn channel_name(name: String) -> Result<String, ApiError> {
    if name.len() > MAX_EVENT_NAME {
        return Err(ApiError::BadRequest(format!(
            "event_name must not be longer than {MAX_EVENT_NAME} bytes"
        )));
    }
    if name.starts_with('$') && ![ERROR_CHANNEL, LOG_CHANNEL].contains(&name.as_str()) {
        return Err(ApiError::bad_request(
            "event_name must be $errors or $logs when it begins with $",
        ));
    }
    Ok(name)
}

fn on_the_wire(subscription: subscriptions::Subscription) -> Subscription {
    let Connection {
        emitter,
        event_name,
        listener,
    } = subscription.connects;
    Subscription {
        id: subscription.id,
        emitter_id: emitter.as_str().to_owned(),
        listener_id: listener.as_str().to_owned(),
        event_name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(emitter: &str, name: Option<&str>, listener: &str) -> Result<Connection, ApiError> {
        connection(SubscriptionParameters {
            emitter_id: Some(emitter.to_owned()),
            event_name: name.map(str::to_owned),
            listener_id: Some(listener.to_owned()),
        })
    }

    #[test]
    fn names_are_kept_and_an_absent_name_is_empty() {
        let name = |name| parse("dc_*", name, "wh_a").unwrap().event_name;
        assert_eq!(name(None), "");
        for accepted in ["", "default", "$errors", "$logs", "custom", "Default", "a$"] {
            assert_eq!(name(Some(accepted)), accepted);
        }
        for bad in ["$", "$error", "$ERRORS", "$logs ", &"x".repeat(501)] {
            let result = parse("dc_*", Some(bad), "wh_a");
            assert!(matches!(result, Err(ApiError::BadRequest(_))), "{bad}");
        }
        assert_eq!(name(Some(&"x".repeat(500))).len(), 500);
    }

    #[test]
    fn an_account_is_an_emitter_also_by_the_id_of_its_workspace() {
        for id in ["u_a", "o_a"] {
            assert_eq!(parse(id, None, "wh_a").unwrap().emitter.as_str(), "u_a");
        }
    }

    #[test]
    fn malformed_ids_are_not_found_and_missing_ids_are_errors() {
        for emitter in ["wh_a", "p_", "u_", "u_*", "o_", "dc_", "dc_a*", "**", "x"] {
            let result = parse(emitter, None, "wh_a");
            assert!(matches!(result, Err(ApiError::NotFound("emitter"))));
        }
        for listener in ["p_", "dc_*", "*", "sub_a", "x"] {
            let result = parse("p_*", None, listener);
            assert!(matches!(result, Err(ApiError::NotFound("listener"))));
        }
        assert!(matches!(
            parse("", None, "wh_a"),
            Err(ApiError::BadRequest(_))
        ));
        assert!(matches!(
            parse("dc_*", None, ""),
            Err(ApiError::BadRequest(_))
        ));
    }
}
