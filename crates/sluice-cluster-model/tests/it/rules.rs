//! Each rule of the design, and the promises that it is for: those that break without it.

use sluice_cluster_model::{
    Bounds, ClusterModel, Rule, Rules,
    properties::{
        EPOCHS_NEVER_FALL, EVENT_AT_MOST_ONCE, KEPT_FOR_HOLDER, NUMBERS_HAVE_NO_GAP, ORDER_IS_KEPT,
        REPEAT_WAS_KEPT, REST_IS_DONE, STATE_MATCHES_EVENTS,
    },
};
use stateright::{Checker, Expectation, Model};

/// Explores every state with two requests and any two faults.
fn explore(rules: Rules, nodes: u8) -> impl Checker<ClusterModel> {
    let bounds = Bounds {
        nodes,
        requests: 2,
        faults: 2,
    };
    let model = ClusterModel { bounds, rules };
    model.checker().symmetry().spawn_dfs().join()
}

/// The promises that break without a rule.
fn broken_without(rule: Rule, nodes: u8) -> Vec<&'static str> {
    broken(&explore(Rules::without(rule), nodes))
}

fn broken(checker: &impl Checker<ClusterModel>) -> Vec<&'static str> {
    let counterexamples = checker.discoveries();
    let properties = checker.model().properties().into_iter();
    properties
        .filter(|property| property.expectation == Expectation::Always)
        .map(|property| property.name)
        .filter(|name| counterexamples.contains_key(name))
        .collect()
}

/// A node loses the emitter and claims it again. A commit of its first claim arrives.
#[test]
fn a_commit_names_its_epoch() {
    let broken = broken_without(Rule::CommitNamesEpoch, 3);
    let expected = [
        EVENT_AT_MOST_ONCE,
        EPOCHS_NEVER_FALL,
        KEPT_FOR_HOLDER,
        REPEAT_WAS_KEPT,
    ];
    assert_eq!(broken, expected);
}

/// The reply to a commit is lost. The owner sends it again.
#[test]
fn a_commit_names_its_number() {
    let broken = broken_without(Rule::CommitNamesNumber, 3);
    let expected = [
        EVENT_AT_MOST_ONCE,
        STATE_MATCHES_EVENTS,
        NUMBERS_HAVE_NO_GAP,
    ];
    assert_eq!(broken, expected);
}

/// The owner before commits between the read and the claim.
#[test]
fn the_state_is_read_after_the_claim() {
    let broken = broken_without(Rule::ReadFollowsClaim, 3);
    assert_eq!(broken, [EVENT_AT_MOST_ONCE, REPEAT_WAS_KEPT]);
}

/// Leases decide when an emitter moves. Nothing breaks when it moves too early.
#[test]
fn safety_does_not_depend_on_leases() {
    let checker = explore(Rules::without(Rule::ClaimNeedsExpiredLease), 3);
    assert_eq!(broken(&checker), Vec::<&str>::new());
    let states = explore(Rules::ALL, 3).unique_state_count();
    assert!(checker.unique_state_count() > states, "no early claim");
}

/// The reply to a claim is lost. The node has a lease, so no other one may claim.
#[test]
fn a_claim_includes_own_emitters() {
    let broken = broken_without(Rule::ClaimIncludesOwn, 3);
    assert_eq!(broken, [REST_IS_DONE]);
}

/// A hint is lost.
#[test]
fn a_sweep_finds_work() {
    let broken = broken_without(Rule::SweepFindsWork, 3);
    assert_eq!(broken, [REST_IS_DONE]);
}

/// A quiet owner loses the emitter without notice. Then its successor crashes, and no third node is there.
#[test]
fn a_sweep_replaces_a_stale_owner() {
    let broken = broken_without(Rule::SweepReplacesStaleOwner, 2);
    assert_eq!(broken, [REST_IS_DONE]);
}

/// An insert commits after a later one that the owner has already read.
#[test]
fn a_read_includes_late_rows() {
    let broken = broken_without(Rule::ReadIncludesLateRows, 3);
    assert_eq!(broken, [REST_IS_DONE]);
}

/// Another node acknowledges a request, and the hint is lost. The owner accepts the next one itself.
#[test]
fn the_shortcut_keeps_the_order() {
    let broken = broken_without(Rule::ShortcutKeepsOrder, 3);
    assert_eq!(broken, [ORDER_IS_KEPT]);
}
