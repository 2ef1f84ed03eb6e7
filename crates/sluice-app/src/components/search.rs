//! Search in the published components of the user and the operator.

use std::collections::HashSet;

use sluice_engine::EngineError;
use sluice_model::{ComponentKind, UserId};

use super::{
    list::{Entry, Scope, entries},
    service::Components,
    words::Words,
};

/// Limit for sources and for actions.
const MAX_MATCHES: usize = 100;

#[derive(Debug, Clone)]
pub struct ComponentSearch {
    pub query: String,
    /// The slug of an app.
    pub app: Option<String>,
    /// The share of the query's words that a component must contain; 1 is every word.
    pub threshold: f64,
}

/// Keys of the matching components, best first.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ComponentMatches {
    pub sources: Vec<String>,
    pub actions: Vec<String>,
}

impl Components {
    /// The best matches of a query. The user's own component hides one of the operator with the same key.
    pub async fn search(
        &self,
        user: &UserId,
        search: ComponentSearch,
    ) -> Result<ComponentMatches, EngineError> {
        let user = user.clone();
        let found = self.infra.store.read(move |c| {
            let own = entries(c, &user, Scope::Published)?;
            let mut others = entries(c, &user, Scope::Registry)?;
            let own_keys: HashSet<_> = own.iter().map(|entry| entry.key.as_ref()).collect();
            others.retain(|entry| !own_keys.contains(&entry.key.as_ref()));
            Ok(best(own.into_iter().chain(others), &search))
        });
        Ok(found.await?)
    }
}

fn best(entries: impl Iterator<Item = Entry>, search: &ComponentSearch) -> ComponentMatches {
    let words = Words::of(&search.query);
    let mut matches: Vec<_> = entries
        .filter(|entry| entry.is_for(search.app.as_deref()))
        .filter_map(|entry| {
            let score = words.score(entry.text());
            let matches = score.share > 0.0 && score.share >= search.threshold;
            matches.then_some((score, entry.key?, entry.kind))
        })
        .collect();
    matches.sort_by(|(a_score, a_key, _), (b_score, b_key, _)| {
        a_score.compare(b_score).then_with(|| a_key.cmp(b_key))
    });
    let mut found = ComponentMatches::default();
    for (_, key, kind) in matches {
        let keys = match kind {
            ComponentKind::Source => &mut found.sources,
            ComponentKind::Action => &mut found.actions,
        };
        if keys.len() < MAX_MATCHES {
            keys.push(key);
        }
    }
    found
}
