//! No state comes back, so every execution ends, in a state without a next step. The condition on these states is the liveness
//! of the model.

use std::collections::HashMap;

use sluice_cluster_model::{Bounds, Cluster, ClusterModel, Rules};
use stateright::{Model, Representative};

/// A state on the current path, with the states after it that are still to be visited.
struct Visit {
    key: Cluster,
    next: Vec<Cluster>,
}

/// Whether a state lies on the current path. Otherwise all paths from it are known to end.
enum Mark {
    OnPath,
    Ends,
}

#[test]
fn no_state_comes_back() {
    let model = ClusterModel {
        bounds: Bounds {
            nodes: 3,
            requests: 2,
            faults: 2,
        },
        rules: Rules::ALL,
    };
    let mut marks = HashMap::new();
    for state in model.init_states() {
        assert!(all_paths_end(model, &state, &mut marks));
    }
    let states = marks.len();
    assert!(states > 60_000, "{states} states");
}

/// A depth-first search for a state that is reached from itself.
fn all_paths_end(model: ClusterModel, state: &Cluster, marks: &mut HashMap<Cluster, Mark>) -> bool {
    let mut path = vec![enter(model, state, marks)];
    while let Some(visit) = path.last_mut() {
        let Some(next) = visit.next.pop() else {
            marks.insert(visit.key.clone(), Mark::Ends);
            path.pop();
            continue;
        };
        match marks.get(&next.representative()) {
            Some(Mark::OnPath) => return false,
            Some(Mark::Ends) => {}
            None => path.push(enter(model, &next, marks)),
        }
    }
    true
}

fn enter(model: ClusterModel, state: &Cluster, marks: &mut HashMap<Cluster, Mark>) -> Visit {
    let key = state.representative();
    marks.insert(key.clone(), Mark::OnPath);
    Visit {
        key,
        next: model.next_states(state),
    }
}
