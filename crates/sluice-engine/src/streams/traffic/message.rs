//! The traffic of an account on one node, as it is sent to another node with readers.

use serde::{Deserialize, Serialize};
use sluice_model::{EmitterId, UserId, WebhookId};
use sluice_store::routes::Listener;

use super::second::{EmitterTraffic, RouteTraffic, TrafficSecond, WebhookTraffic};

#[derive(Serialize, Deserialize)]
pub(super) struct TrafficMessage {
    pub(super) user: UserId,
    emitters: Vec<(EmitterId, EmitterTraffic)>,
    /// From an emitter to the id of a listener.
    routes: Vec<(EmitterId, String, u64)>,
    webhooks: Vec<(WebhookId, WebhookTraffic)>,
    cut: bool,
}

impl TrafficMessage {
    pub(super) fn new(user: &UserId, second: TrafficSecond) -> TrafficMessage {
        let TrafficSecond {
            ts: _,
            emitters,
            routes,
            webhooks,
            cut,
        } = second;
        let route = |RouteTraffic { from, to, count }| (from, to.as_str().to_owned(), count);
        TrafficMessage {
            user: user.clone(),
            emitters,
            routes: routes.into_iter().map(route).collect(),
            webhooks,
            cut,
        }
    }

    pub(super) fn into_second(self, ts: i64) -> TrafficSecond {
        let route = |(from, to, count): (EmitterId, String, u64)| {
            let to = Listener::parse(&to)?;
            Some(RouteTraffic { from, to, count })
        };
        TrafficSecond {
            ts,
            emitters: self.emitters,
            routes: self.routes.into_iter().filter_map(route).collect(),
            webhooks: self.webhooks,
            cut: self.cut,
        }
    }
}
