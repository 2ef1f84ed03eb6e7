//! The components of a shelf. Those of the server's registry are kept in memory: a search of 15,000 components has thousands of
//! matches, and reading the row of each would take longer than everything else.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use sluice_store::{
    Conn, StoreError,
    registry::{self, Shelf},
};

use super::entry::Entry;

/// The newest version of every key of a shelf, in the order of the keys.
pub(super) struct ShelfEntries {
    all: Vec<Arc<Entry>>,
    /// The places of entries by the ids of their rows.
    places: HashMap<i64, usize>,
}

/// The entries of the server's registry as last read.
#[derive(Default)]
pub(super) struct ShelfCache(Mutex<Option<CachedEntries>>);

#[derive(Clone)]
struct CachedEntries {
    generation: i64,
    entries: Arc<ShelfEntries>,
}

impl ShelfCache {
    /// The entries of a shelf as they are in the store now.
    pub(super) fn entries(
        &self,
        c: &mut dyn Conn,
        wanted: &Shelf,
    ) -> Result<Arc<ShelfEntries>, StoreError> {
        if *wanted != Shelf::Server {
            return Ok(Arc::new(ShelfEntries::read(c, wanted)?));
        }
        // The generation is read first: entries that are newer than it are read again the next time.
        let generation = registry::generation(c, wanted)?;
        let cached = self.0.lock().clone();
        if let Some(cached) = cached.filter(|cached| cached.generation == generation) {
            return Ok(cached.entries);
        }
        let entries = Arc::new(ShelfEntries::read(c, wanted)?);
        *self.0.lock() = Some(CachedEntries {
            generation,
            entries: Arc::clone(&entries),
        });
        Ok(entries)
    }
}

impl ShelfEntries {
    fn read(c: &mut dyn Conn, shelf: &Shelf) -> Result<ShelfEntries, StoreError> {
        let mut entries = registry::entries(c, shelf)?;
        entries.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let rows = entries.iter().map(|entry| entry.id);
        Ok(ShelfEntries {
            places: rows.zip(0..).collect(),
            all: entries
                .into_iter()
                .map(|entry| Arc::new(Entry::from(entry)))
                .collect(),
        })
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.all.iter()
    }

    /// The entries that have, for every given word, a word that begins with it.
    pub(super) fn matching(
        &self,
        c: &mut dyn Conn,
        words: &[String],
    ) -> Result<Vec<Arc<Entry>>, StoreError> {
        let ids = registry::matching(c, words)?;
        // The ids have older versions and other shelves, too.
        let found = ids.iter().filter_map(|id| self.places.get(id));
        let mut found: Vec<usize> = found.copied().collect();
        // Numbers are faster to sort than keys.
        found.sort_unstable();
        let found = found.into_iter().filter_map(|place| self.all.get(place));
        Ok(found.cloned().collect())
    }
}
