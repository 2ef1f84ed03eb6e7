//! How code uses a credential field.

use std::collections::BTreeMap;

/// The place of one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Code decides by its presence or value, or has a default for it.
    Tested,
    /// Code reads it in one branch only.
    Conditional,
    /// Code always reads it.
    Plain,
}

/// All reads of one field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct FieldUse {
    is_tested: bool,
    is_plain: bool,
}

/// The fields that are read, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldUses(BTreeMap<String, FieldUse>);

impl FieldUses {
    /// Adds a field that is named, but not read yet.
    pub(super) fn name(&mut self, field: &str) {
        self.0.entry(field.to_owned()).or_default();
    }

    pub(super) fn add(&mut self, field: &str, place: Use) {
        let field = self.0.entry(field.to_owned()).or_default();
        match place {
            Use::Tested => field.is_tested = true,
            Use::Plain => field.is_plain = true,
            Use::Conditional => {}
        }
    }

    pub fn extend(&mut self, other: &FieldUses) {
        for (name, theirs) in &other.0 {
            let ours = self.0.entry(name.clone()).or_default();
            ours.is_tested |= theirs.is_tested;
            ours.is_plain |= theirs.is_plain;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of the fields, and whether the code works without each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, bool)> {
        let uses = self.0.iter();
        uses.map(|(name, field)| (name.as_str(), field.is_tested || !field.is_plain))
    }
}
