//! Conditions that hold in every reachable state.
//!
//! A condition on commits looks at those on their way, because each of them can be delivered next.

use crate::{
    cluster::Cluster, enabled::enabled, id::RequestId, message::Commit, rule::Rules, store::Outcome,
};

pub const EVENT_AT_MOST_ONCE: &str = "a request has at most one event";
pub const STATE_MATCHES_EVENTS: &str = "the state counts the events";
pub const NUMBERS_HAVE_NO_GAP: &str = "commits are numbered without a gap";
pub const EPOCHS_NEVER_FALL: &str = "the epochs of commits never fall";
pub const KEPT_FOR_HOLDER: &str = "a commit is kept only for the owner and epoch of the row";
pub const REPEAT_WAS_KEPT: &str = "a commit that counts as repeated was kept";
pub const ACKNOWLEDGED_IS_DURABLE: &str = "an acknowledged request is in the inbox or has an event";
pub const ORDER_IS_KEPT: &str = "a request comes after those acknowledged before it was sent";
/// The liveness of the model. `Property::eventually` of the checker overlooks counterexamples where paths join.
pub const REST_IS_DONE: &str = "a cluster without a next step, but for faults, has no work left";

pub(crate) fn event_at_most_once(cluster: &Cluster) -> bool {
    cluster.request_ids().all(|request| {
        let events = cluster.store.events.iter();
        events.filter(|event| event.request == request).count() <= 1
    })
}

pub(crate) fn state_matches_events(cluster: &Cluster) -> bool {
    usize::from(cluster.store.row.count) == cluster.store.events.len()
}

pub(crate) fn numbers_have_no_gap(cluster: &Cluster) -> bool {
    let numbers = cluster.store.events.iter().map(|event| event.number);
    numbers.eq(1..=cluster.store.row.commit_no)
}

pub(crate) fn epochs_never_fall(cluster: &Cluster) -> bool {
    let epochs = cluster.store.events.iter().map(|event| event.epoch);
    epochs.chain([cluster.store.row.epoch]).is_sorted()
}

pub(crate) fn kept_for_holder(cluster: &Cluster, rules: Rules) -> bool {
    let mut kept = commits_with(cluster, Outcome::Kept, rules);
    kept.all(|commit| cluster.store.holds(commit.fence))
}

pub(crate) fn repeat_was_kept(cluster: &Cluster, rules: Rules) -> bool {
    let mut repeated = commits_with(cluster, Outcome::Repeated, rules);
    repeated.all(|commit| {
        cluster.store.events.iter().any(|event| {
            event.request == commit.request
                && event.epoch == commit.fence.epoch
                && event.number == commit.number
        })
    })
}

pub(crate) fn acknowledged_is_durable(cluster: &Cluster) -> bool {
    let mut gone = cluster.acknowledged().without(cluster.store.inbox).iter();
    gone.all(|request| position(cluster, request).is_some())
}

pub(crate) fn order_is_kept(cluster: &Cluster) -> bool {
    cluster.request_ids().all(|request| {
        let mut earlier = cluster.request(request).follows.iter();
        position(cluster, request).is_none_or(|place| {
            earlier.all(|other| position(cluster, other).is_some_and(|before| before < place))
        })
    })
}

pub(crate) fn rest_is_done(cluster: &Cluster, rules: Rules) -> bool {
    cluster.store.inbox.is_empty() || {
        let mut actions = Vec::new();
        enabled(cluster, 0, rules, &mut actions);
        !actions.is_empty()
    }
}

/// The place of a request among the events.
fn position(cluster: &Cluster, request: RequestId) -> Option<usize> {
    let mut events = cluster.store.events.iter();
    events.position(|event| event.request == request)
}

/// The commits on their way that have a result if they are delivered now.
pub(crate) fn commits_with(
    cluster: &Cluster,
    outcome: Outcome,
    rules: Rules,
) -> impl Iterator<Item = Commit> {
    let commits = cluster.commits();
    commits.filter(move |commit| cluster.store.outcome(*commit, rules) == outcome)
}
