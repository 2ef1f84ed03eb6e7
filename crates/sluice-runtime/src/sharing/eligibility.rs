//! Whether a source may share a process, and with which others.

use hashlink::LruCache;
use parking_lot::Mutex;
use sluice_code::is_self_contained;
use sluice_model::UserId;

use crate::{
    analysis_cache::AnalysisKey,
    isolation::Isolation,
    node_use::needs_node,
    spec::{BindingKind, ModuleSpec, ProcessSpec, Role},
};

/// The key-value store of each source is in the memory of its process.
const MAX_STORED: usize = 64 * 1024;
const MAX_VERDICTS: usize = 4_096;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum GroupKey {
    Component(UserId, AnalysisKey),
    Account(UserId),
}

/// Remembers the outcome of checks by the hash of the code.
pub(super) struct Eligibility {
    verdicts: Mutex<LruCache<AnalysisKey, bool>>,
}

impl Default for Eligibility {
    fn default() -> Eligibility {
        Eligibility {
            verdicts: Mutex::new(LruCache::new(MAX_VERDICTS)),
        }
    }
}

impl Eligibility {
    /// `None` if it may not share a process.
    pub(super) fn group_key(&self, isolation: Isolation, spec: &ProcessSpec) -> Option<GroupKey> {
        let (Some(user), [module]) = (&spec.user, spec.modules.as_slice()) else {
            return None;
        };
        if isolation == Isolation::Process || !is_small(spec) || has_files(module) {
            return None;
        }
        let code = AnalysisKey::of(&module.files, module.format, None, Role::Component);
        if !self.is_eligible(code, module) {
            return None;
        }
        Some(match isolation {
            Isolation::Account => GroupKey::Account(user.clone()),
            Isolation::Process | Isolation::Component => GroupKey::Component(user.clone(), code),
        })
    }

    fn is_eligible(&self, code: AnalysisKey, module: &ModuleSpec) -> bool {
        if let Some(verdict) = self.verdicts.lock().get(&code) {
            return *verdict;
        }
        let verdict = !needs_node(module) && is_self_contained(&module.files);
        self.verdicts.lock().insert(code, verdict);
        verdict
    }
}

fn is_small(spec: &ProcessSpec) -> bool {
    let sizes = spec.stored.iter();
    let bytes: usize = sizes
        .map(|(key, value)| key.len() + value.get().len())
        .sum();
    bytes <= MAX_STORED
}

/// The files of a process belong to all its sources.
fn has_files(module: &ModuleSpec) -> bool {
    let mut props = module.props.iter();
    module.packages.is_some() || props.any(|prop| matches!(prop.kind, BindingKind::Dir))
}
