//! Reading the audit log.

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_store::{
    Page,
    audit::{self, AuditEntry, AuditFilter},
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

    /// The entries that the filter admits, newest first.
    pub async fn list(
        &self,
        filter: AuditFilter,
        page: Page,
    ) -> Result<Listing<AuditEntry>, EngineError> {
        let listing = self.infra.store.read(move |c| {
            Ok(Listing {
                total: audit::count(c, &filter)?,
                rows: audit::page(c, &filter, &page)?,
            })
        });
        Ok(listing.await?)
    }
}
