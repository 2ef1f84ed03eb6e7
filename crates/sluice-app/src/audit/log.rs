//! Reading the audit log.

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_store::{
    Page,
    audit::{self, AuditEntry, AuditFilter, Existing},
};

use crate::listing::Listing;

/// Lists the entries of the audit log.
#[derive(Clone)]
pub struct AuditLog {
    infra: Infra,
}

impl AuditLog {
    pub(crate) fn new(infra: &Infra) -> AuditLog {
        AuditLog {
            infra: infra.clone(),
        }
    }

    /// The entries that the filter admits, newest first, and what there still is of their accounts and targets.
    pub async fn list(
        &self,
        filter: AuditFilter,
        page: Page,
    ) -> Result<(Listing<AuditEntry>, Existing), EngineError> {
        let listing = self.infra.store.read(move |c| {
            let total = audit::count(c, &filter)?;
            let rows = audit::page(c, &filter, &page)?;
            let existing = audit::look_up(c, &rows)?;
            Ok((Listing { total, rows }, existing))
        });
        Ok(listing.await?)
    }
}
