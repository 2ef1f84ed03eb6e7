//! Reading traces.

use std::collections::HashMap;

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::{EmitterId, EmitterKind, InvocationId, UserId};
use sluice_store::{Conn, StoreError, traces};

use super::{
    climb::{Path, climb},
    find::find,
    node::{Trace, TraceKind, TraceNode, TraceStatus},
    source::Records,
    spot::Spot,
    tree::Tree,
    visit::Visit,
};

/// Which trace to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceQuery {
    /// The id of any part of it.
    pub id: String,
    /// The emitter that the id belongs to: event ids are unique for one emitter only.
    pub emitter: Option<EmitterId>,
    pub most_nodes: usize,
}

/// Reads traces.
#[derive(Clone)]
pub struct Traces {
    infra: Infra,
}

impl Traces {
    pub(crate) fn new(infra: &Infra) -> Traces {
        Traces {
            infra: infra.clone(),
        }
    }

    /// The tree that has an id of the user's.
    pub async fn read(&self, user: &UserId, query: TraceQuery) -> Result<Trace, EngineError> {
        let user = user.clone();
        let found = self.infra.store.read(move |c| read(c, &user, &query));
        found.await?.ok_or(EngineError::NotFound("id"))
    }
}

fn read(c: &mut dyn Conn, user: &UserId, query: &TraceQuery) -> Result<Option<Trace>, StoreError> {
    let mut records = Records::default();
    let Some(found) = find(c, user, &query.id, query.emitter.as_ref(), &mut records)? else {
        return Ok(None);
    };
    let mut tree = Tree::new(query.most_nodes);
    let mut roots: Vec<Spot> = Vec::new();
    for spot in found.spots {
        let Path { spots, cause } = climb(c, user, spot, &mut records)?;
        tree.include(&spots);
        let root = spots.into_iter().next();
        let Some(root) = root.filter(|root| !roots.contains(root)) else {
            continue;
        };
        let parent = match (&root, cause) {
            (Spot::Invocation(emitter, id), cause) => {
                let node = trigger(c, emitter, id, cause)?;
                tree.add(None, node)
            }
            (Spot::Event(_) | Spot::Delivery(_), _) => None,
        };
        roots.push(root.clone());
        tree.visit_later(parent, root);
    }
    let visit = Visit {
        c,
        user,
        tree: &mut tree,
        records: &mut records,
        emits: HashMap::new(),
    };
    visit.all()?;
    Ok(Some(tree.into_trace(found.selected)))
}

/// The node above the first invocation.
fn trigger(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    id: &InvocationId,
    cause: Option<String>,
) -> Result<TraceNode, StoreError> {
    let accepted_at = match emitter.kind() {
        EmitterKind::Workflow(workflow) => {
            traces::run(c, &workflow, id)?.map(|run| run.accepted_at)
        }
        EmitterKind::Source(_) => None,
    };
    let key = format!("trigger/{emitter}/{id}");
    let name = cause.unwrap_or_else(|| "unknown".to_owned());
    Ok(TraceNode {
        status: TraceStatus::Succeeded,
        started_at: accepted_at.unwrap_or_else(|| id.time_ms()),
        emitter_id: Some(emitter.clone()),
        ..TraceNode::new(TraceKind::Trigger, key, id.to_string(), name)
    })
}
