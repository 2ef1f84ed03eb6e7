//! The numbers of the tenants of a process.

use std::fmt;

/// Numbers the tenants of a process. Numbers are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TenantNumber(u32);

impl TenantNumber {
    /// Messages of the process itself.
    pub(crate) const PROCESS: TenantNumber = TenantNumber(0);
    pub(crate) const FIRST: TenantNumber = TenantNumber(1);

    pub(crate) fn parse(text: &str) -> Option<TenantNumber> {
        text.parse().ok().map(TenantNumber)
    }

    pub(crate) fn value(self) -> u32 {
        self.0
    }

    pub(crate) fn next(self) -> TenantNumber {
        TenantNumber(self.0.saturating_add(1))
    }
}

impl fmt::Display for TenantNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
