//! The stream of what happens in an account.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use bytes::Bytes;
use http::Method;
use sluice_api::{EmitterTraffic, RouteTraffic, Traffic, WebhookTraffic};
use sluice_app::App;
use sluice_engine::streams::{Streams, TrafficSecond};

use super::{
    body::{self, Reader},
    frames::Frames,
    get_only,
};
use crate::{auth::Caller, error::ApiError, openapi::ApiErrors, sse};

const NAME: &str = "traffic";

/// Follow what happens in the account
///
/// Server-sent events of the type `traffic`: one a second, and none while nothing happens. It begins now, and what
/// a client misses is gone: it is news, not a record.
#[utoipa::path(get, path = "/users/me/traffic", tag = "streams", operation_id = "followTraffic",
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A stream that does not end by itself", content_type = "text/event-stream", body = Traffic), ApiErrors))]
pub(crate) async fn follow(
    Caller { user, proof }: Caller,
    State(app): State<Arc<App>>,
    State(streams): State<Streams>,
    method: Method,
) -> Result<Response, ApiError> {
    get_only(&method)?;
    let reader = streams.follow_traffic(&user.id)?;
    let body = body::of(Frames::Traffic(reader), Reader::With(proof, app));
    Ok(sse::response(body))
}

pub(super) fn frame(second: &TrafficSecond) -> Bytes {
    sse::news(NAME, &on_the_wire(second)).expect("numbers by id are JSON")
}

fn on_the_wire(second: &TrafficSecond) -> Traffic {
    let TrafficSecond {
        ts,
        emitters,
        routes,
        webhooks,
        cut,
    } = second;
    let emitters = emitters.iter().map(|(id, one)| {
        let shown = EmitterTraffic {
            events: one.events,
            errors: one.errors,
            invocations: one.invocations,
        };
        (id.clone(), shown)
    });
    let routes = routes.iter().map(|route| RouteTraffic {
        from: route.from.clone(),
        to: route.to.as_str().to_owned(),
        count: route.count,
    });
    let webhooks = webhooks.iter().map(|(id, one)| {
        let shown = WebhookTraffic {
            delivered: one.delivered,
            failed: one.failed,
        };
        (id.clone(), shown)
    });
    Traffic {
        ts: *ts,
        emitters: emitters.collect(),
        routes: routes.collect(),
        webhooks: webhooks.collect(),
        cut: cut.then_some(true),
    }
}
