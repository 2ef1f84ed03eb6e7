//! The design keeps its promises with three nodes.

use sluice_cluster_model::{Bounds, ClusterModel, Rules};
use stateright::{Checker, Model};

/// Explores every state. Far fewer than `min_states` mean that the model has become trivial.
fn explore(bounds: Bounds, min_states: usize) {
    let model = ClusterModel {
        bounds,
        rules: Rules::ALL,
    };
    let checker = model.checker().symmetry().threads(2).spawn_dfs().join();
    checker.assert_properties();
    let states = checker.unique_state_count();
    assert!(states > min_states, "{states} states");
}

#[test]
fn with_any_three_faults() {
    let bounds = Bounds {
        nodes: 3,
        requests: 2,
        faults: 3,
    };
    explore(bounds, 900_000);
}

#[test]
fn with_a_third_request() {
    let bounds = Bounds {
        nodes: 3,
        requests: 3,
        faults: 1,
    };
    explore(bounds, 50_000);
}
