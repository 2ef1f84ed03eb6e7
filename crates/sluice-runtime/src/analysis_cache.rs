//! Shapes of code that was analysed a short while ago, by the hash of all that was loaded. Saving the same code again, for
//! example for another source, starts no process.
//!
//! Only successes are kept: a failure may have had another cause than the code.

use hashlink::LruCache;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use sluice_model::{CodeFiles, ComponentShape, ModuleFormat};

use crate::{packages::PackageLock, spec::Role};

const MAX_SHAPES: usize = 256;
/// Larger shapes are rare. The limit bounds the memory of the cache.
const MAX_SHAPE_BYTES: usize = 64 * 1024;
/// Code may read the clock while it loads, for example for a default.
const MAX_AGE_MS: i64 = 10 * 60 * 1000;

pub(crate) struct AnalysisCache {
    shapes: Mutex<LruCache<AnalysisKey, Entry>>,
}

struct Entry {
    shape: ComponentShape,
    analysed_at: i64,
}

/// A hash of everything that a shape depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct AnalysisKey([u8; 32]);

impl AnalysisKey {
    pub(crate) fn of(
        files: &CodeFiles,
        format: ModuleFormat,
        packages: Option<&PackageLock>,
        role: Role<'_>,
    ) -> AnalysisKey {
        let mut hash = Sha256::new();
        // Each part has its length before it, so that no text can pass for two.
        let mut add = |part: &str| {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        };
        add(&format!("{role:?} {format:?} {packages:?}"));
        for (path, text) in files.laid_out() {
            add(&path);
            add(&text);
        }
        AnalysisKey(hash.finalize().into())
    }
}

impl Default for AnalysisCache {
    fn default() -> AnalysisCache {
        AnalysisCache {
            shapes: Mutex::new(LruCache::new(MAX_SHAPES)),
        }
    }
}

impl AnalysisCache {
    pub(crate) fn get(&self, key: AnalysisKey, now_ms: i64) -> Option<ComponentShape> {
        let mut shapes = self.shapes.lock();
        let entry = shapes.get(&key)?;
        // The clock may have been set back.
        let is_fresh = (0..=MAX_AGE_MS).contains(&(now_ms - entry.analysed_at));
        is_fresh.then(|| entry.shape.clone())
    }

    pub(crate) fn insert(&self, key: AnalysisKey, shape: &ComponentShape, now_ms: i64) {
        let size = serde_json::to_string(shape).map_or(usize::MAX, |text| text.len());
        if size <= MAX_SHAPE_BYTES {
            let entry = Entry {
                shape: shape.clone(),
                analysed_at: now_ms,
            };
            self.shapes.lock().insert(key, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000_000;

    fn key(code: &str, role: Role<'_>) -> AnalysisKey {
        let format = ModuleFormat::EsModule;
        AnalysisKey::of(&CodeFiles::single(code, format), format, None, role)
    }

    fn shape(name: &str) -> ComponentShape {
        let raw = serde_json::json!({ "name": name, "version": "1.0.0", "hasRun": true });
        let raw: sluice_model::RawShape = serde_json::from_value(raw).unwrap();
        raw.check(ModuleFormat::EsModule).unwrap()
    }

    #[test]
    fn a_shape_is_kept_for_ten_minutes() {
        let cache = AnalysisCache::default();
        let one = key("one", Role::Component);
        cache.insert(one, &shape("One"), NOW);
        assert_eq!(cache.get(one, NOW + MAX_AGE_MS), Some(shape("One")));
        assert_eq!(cache.get(one, NOW + MAX_AGE_MS + 1), None);
        assert_eq!(cache.get(one, NOW - 1), None);
    }

    #[test]
    fn other_code_and_other_roles_have_other_keys() {
        let one = key("one", Role::Component);
        assert!(one == key("one", Role::Component));
        assert!(one != key("two", Role::Component));
        assert!(one != key("one", Role::Step("a")));
        assert!(key("one", Role::Step("a")) != key("one", Role::Step("b")));
    }

    #[test]
    fn large_shapes_are_not_kept() {
        let cache = AnalysisCache::default();
        let one = key("one", Role::Component);
        cache.insert(one, &shape(&"x".repeat(MAX_SHAPE_BYTES)), NOW);
        assert_eq!(cache.get(one, NOW), None);
    }
}
