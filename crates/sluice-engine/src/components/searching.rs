//! Searching what a user and the operator published.

use std::collections::HashSet;

use sluice_model::{ComponentKind, UserId};

use super::{
    listing::{Entry, Scope, entries},
    matching::Words,
};
use crate::{Engine, error::EngineError};

/// How many sources and how many actions a search finds at most.
const MOST_FOUND: usize = 100;

/// What to look for.
#[derive(Debug, Clone)]
pub struct ComponentSearch {
    pub query: String,
    /// The slug of an app.
    pub app: Option<String>,
    /// How much of the query a component has to have: 1 is every word.
    pub threshold: f64,
}

/// The keys of what a search found, the best first.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FoundComponents {
    pub sources: Vec<String>,
    pub actions: Vec<String>,
}

impl Engine {
    /// What fits a query best. Under a key that both have published, it is the user's own.
    pub async fn search_components(
        &self,
        user: &UserId,
        search: ComponentSearch,
    ) -> Result<FoundComponents, EngineError> {
        let user = user.clone();
        let found = self.context.infra.store.read(move |c| {
            let own = entries(c, &user, Scope::Published)?;
            let mut others = entries(c, &user, Scope::Registry)?;
            let own_keys: HashSet<_> = own.iter().map(|entry| entry.key.as_ref()).collect();
            others.retain(|entry| !own_keys.contains(&entry.key.as_ref()));
            Ok(best(own.into_iter().chain(others), &search))
        });
        Ok(found.await?)
    }
}

fn best(entries: impl Iterator<Item = Entry>, search: &ComponentSearch) -> FoundComponents {
    let words = Words::of(&search.query);
    let mut fitting: Vec<_> = entries
        .filter(|entry| entry.is_for(search.app.as_deref()))
        .filter_map(|entry| {
            let fit = words.fit(entry.text());
            let has_enough = fit.share > 0.0 && fit.share >= search.threshold;
            has_enough.then_some((fit, entry.key?, entry.kind))
        })
        .collect();
    fitting.sort_by(|(a_fit, a_key, _), (b_fit, b_key, _)| {
        a_fit.compare(b_fit).then_with(|| a_key.cmp(b_key))
    });
    let mut found = FoundComponents::default();
    for (_, key, kind) in fitting {
        let keys = match kind {
            ComponentKind::Source => &mut found.sources,
            ComponentKind::Action => &mut found.actions,
        };
        if keys.len() < MOST_FOUND {
            keys.push(key);
        }
    }
    found
}
