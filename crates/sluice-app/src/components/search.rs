//! Search in the published components of the user and the operator.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use sluice_engine::EngineError;
use sluice_model::{ComponentKind, UserId};
use sluice_store::{Conn, StoreError, registry::Shelf};

use super::{entry::Entry, service::Components, shelf_cache::ShelfEntries, words::Words};

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

/// A component that contains some terms of the query.
struct Match {
    entry: Arc<Entry>,
    terms: usize,
}

impl Components {
    /// The best matches of a query. The user's own component hides one of the operator with the same key.
    pub async fn search(
        &self,
        user: &UserId,
        search: ComponentSearch,
    ) -> Result<ComponentMatches, EngineError> {
        let own = Shelf::Account(user.clone());
        let shelves = Arc::clone(&self.shelves);
        let found = self.infra.store.read(move |c| {
            let words = Words::of(&search.query);
            let own = shelves.entries(c, &own)?;
            let own_keys: HashSet<&str> = own.all().map(|entry| entry.key.as_str()).collect();
            let mut matches = matches(c, &own, &words)?;
            let others = shelves.entries(c, &Shelf::Server)?;
            let others = self::matches(c, &others, &words)?;
            matches.extend(
                others
                    .into_iter()
                    .filter(|found| !own_keys.contains(found.entry.key.as_str())),
            );
            Ok(best(matches, &words, &search))
        });
        Ok(found.await?)
    }
}

/// The entries that contain any of the terms.
fn matches(
    c: &mut dyn Conn,
    entries: &ShelfEntries,
    words: &Words,
) -> Result<Vec<Match>, StoreError> {
    let mut by_key: HashMap<String, Match> = HashMap::new();
    for term in words.terms() {
        for entry in entries.matching(c, term.words())? {
            if !term.is_together_in(&entry) {
                continue;
            }
            let found = by_key
                .entry(entry.key.clone())
                .or_insert(Match { entry, terms: 0 });
            found.terms += 1;
        }
    }
    Ok(by_key.into_values().collect())
}

fn best(matches: Vec<Match>, words: &Words, search: &ComponentSearch) -> ComponentMatches {
    let all = words.terms().len();
    let is_enough = |found: &Match| {
        // Queries have a few terms.
        #[expect(clippy::cast_precision_loss)]
        let share = found.terms as f64 / all as f64;
        share >= search.threshold
    };
    let is_for = |found: &Match| {
        let wanted = search.app.as_deref();
        wanted.is_none_or(|app| found.entry.is_for(app))
    };
    let mut ranked: Vec<_> = matches
        .into_iter()
        .filter(|found| is_for(found) && is_enough(found))
        .map(|found| {
            let Match {
                entry,
                terms: number,
            } = found;
            let rank = words.rank(&entry.searchable);
            // A component with all terms comes before one with some of them in a better place.
            (number < all, rank, all - number, entry)
        })
        .collect();
    ranked.sort_by(|a, b| (a.0, &a.1, a.2, &a.3.key).cmp(&(b.0, &b.1, b.2, &b.3.key)));
    let mut found = ComponentMatches::default();
    for (_, _, _, entry) in ranked {
        let keys = match entry.kind {
            ComponentKind::Source => &mut found.sources,
            ComponentKind::Action => &mut found.actions,
        };
        if keys.len() < MAX_MATCHES {
            keys.push(entry.key.clone());
        }
    }
    found
}
