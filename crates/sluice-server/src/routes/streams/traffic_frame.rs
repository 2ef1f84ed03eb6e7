//! The message of a stream of traffic: the counts of one second.

use bytes::Bytes;
use sluice_api::{EmitterTraffic, RouteTraffic, Traffic, WebhookTraffic};
use sluice_engine::streams::TrafficSecond;

use crate::sse;

const NAME: &str = "traffic";

pub(super) fn frame(second: &TrafficSecond) -> Bytes {
    sse::transient_message(NAME, &on_the_wire(second)).expect("counts by id serialise to JSON")
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
