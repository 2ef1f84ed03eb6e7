//! The model as the checker explores it.

use stateright::{Model, Property};

use crate::{
    action::Action, bounds::Bounds, cluster::Cluster, enabled::enabled, examples as e,
    properties as p, rule::Rules, step::step,
};

#[derive(Debug, Clone, Copy)]
pub struct ClusterModel {
    pub bounds: Bounds,
    pub rules: Rules,
}

impl Model for ClusterModel {
    type State = Cluster;
    type Action = Action;

    fn init_states(&self) -> Vec<Cluster> {
        vec![
            Cluster::without_owner(self.bounds),
            Cluster::with_owner(self.bounds, self.rules),
        ]
    }

    fn actions(&self, cluster: &Cluster, actions: &mut Vec<Action>) {
        enabled(cluster, cluster.faults, self.rules, actions);
    }

    fn next_state(&self, cluster: &Cluster, action: Action) -> Option<Cluster> {
        step(cluster, &action, self.rules)
    }

    fn properties(&self) -> Vec<Property<ClusterModel>> {
        [conditions(), examples()].concat()
    }
}

fn conditions() -> Vec<Property<ClusterModel>> {
    vec![
        Property::always(p::EVENT_AT_MOST_ONCE, |_, c| p::event_at_most_once(c)),
        Property::always(p::STATE_MATCHES_EVENTS, |_, c| p::state_matches_events(c)),
        Property::always(p::NUMBERS_HAVE_NO_GAP, |_, c| p::numbers_have_no_gap(c)),
        Property::always(p::EPOCHS_NEVER_FALL, |_, c| p::epochs_never_fall(c)),
        Property::always(p::KEPT_FOR_HOLDER, |m, c| p::kept_for_holder(c, m.rules)),
        Property::always(p::REPEAT_WAS_KEPT, |m, c| p::repeat_was_kept(c, m.rules)),
        Property::always(p::ACKNOWLEDGED_IS_DURABLE, |_, c| {
            p::acknowledged_is_durable(c)
        }),
        Property::always(p::ORDER_IS_KEPT, |_, c| p::order_is_kept(c)),
        Property::always(p::REST_IS_DONE, |m, c| p::rest_is_done(c, m.rules)),
    ]
}

fn examples() -> Vec<Property<ClusterModel>> {
    vec![
        Property::sometimes("a claim takes over", |m, c| e::takeover(c, m.rules)),
        Property::sometimes("a claim is refused", |m, c| e::refused_claim(c, m.rules)),
        Property::sometimes("a commit is fenced", |m, c| e::fenced_commit(c, m.rules)),
        Property::sometimes("a repeated commit is recognised", |m, c| {
            e::repeated_commit(c, m.rules)
        }),
        Property::sometimes("an owner commits after its lease has expired", |m, c| {
            e::commit_without_lease(c, m.rules)
        }),
        Property::sometimes("a commit is kept after its owner has crashed", |m, c| {
            e::commit_after_crash(c, m.rules)
        }),
        Property::sometimes("an owner hands over", |_, c| e::hand_over(c)),
        Property::sometimes("all requests have events", |_, c| e::all_done(c)),
    ]
}
