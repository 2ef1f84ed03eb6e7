//! The terms of a query.

use super::{operand::Operand, pattern::Pattern};

/// A condition, or its opposite.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    pub(super) negated: bool,
    pub(super) condition: Condition,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// A text in any key or value.
    Text(Pattern),
    /// A test of the values at a path.
    Field { path: Vec<String>, test: Test },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    /// A value other than null.
    Present,
    Equal(Operand),
    /// There are values, and none is this one.
    Differs(Operand),
    Like(Pattern),
    Compare(Comparison, Operand),
    /// Both bounds are inclusive.
    Between(Operand, Operand),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Above,
    AtLeast,
    Below,
    AtMost,
}

impl Term {
    pub(super) fn required(&self, field: &str) -> Option<&str> {
        match &self.condition {
            Condition::Field {
                path,
                test: Test::Equal(operand),
            } if !self.negated && path.len() == 1 && path[0] == field => Some(operand.text()),
            Condition::Field { .. } | Condition::Text(_) => None,
        }
    }
}
