//! Removal of old entries.

use sluice_infra::{Infra, millis};
use sluice_store::audit;

/// Entries that are removed in one transaction.
const BATCH: u32 = 1_000;

/// Removes entries that are older than the operator's setting, in batches, so that other writes run in between.
pub(crate) async fn prune(infra: &Infra) {
    let before = infra
        .now_ms()
        .saturating_sub(millis(infra.settings.audit_retention));
    while !infra.shutdown.is_draining() {
        let removed = infra
            .store
            .write(move |c| audit::remove_older_than(c, before, BATCH));
        match removed.await {
            Ok(removed) if removed >= u64::from(BATCH) => {}
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "cannot remove old audit entries; retrying later");
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sluice_infra::{MS_PER_DAY, testing};
    use sluice_store::audit::{Action, AuditFilter, TargetKind};

    use super::*;
    use crate::audit::{Actor, Change, Target};

    #[tokio::test]
    async fn entries_older_than_the_retention_are_removed_in_batches() {
        let folder = tempfile::tempdir().unwrap();
        let (infra, clock) = testing::infra(folder.path());
        let write = async |count: usize| {
            let changes: Vec<Change> = (0..count)
                .map(|_| {
                    let target = Target::new(TargetKind::Registry, "", "");
                    Change::new(&infra, &Actor::server(), Action::RegistryStarterSet, target)
                })
                .collect();
            let written = infra
                .store
                .write(move |c| changes.into_iter().try_for_each(|change| change.record(c)));
            written.await.unwrap();
        };
        let count = async || {
            let all = AuditFilter::default();
            let count = infra.store.read(move |c| audit::count(c, &all));
            count.await.unwrap()
        };
        write(2_500).await;
        prune(&infra).await;
        assert_eq!(count().await, 2_500);
        clock.advance(31 * MS_PER_DAY);
        write(3).await;
        prune(&infra).await;
        assert_eq!(count().await, 3);
    }
}
