//! Data stores: list and delete. Only components read and write their entries.

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::UserId;
use sluice_store::{
    audit::{Action, TargetKind},
    data_stores::{self, DataStore, NamePage, StoreRef},
};

use crate::{
    audit::{Actor, Change, Target},
    listing::Listing,
};

/// Lists and deletes data stores.
#[derive(Clone)]
pub struct DataStores {
    infra: Infra,
}

impl DataStores {
    pub(crate) fn new(infra: &Infra) -> DataStores {
        DataStores {
            infra: infra.clone(),
        }
    }

    /// The user's data stores, by name.
    pub async fn list(
        &self,
        user: &UserId,
        page: NamePage,
    ) -> Result<Listing<DataStore>, EngineError> {
        let (user, now_ms) = (user.clone(), self.infra.now_ms());
        let listing = self.infra.store.read(move |c| {
            Ok(Listing {
                total: data_stores::count(c, &user)?,
                rows: data_stores::list(c, &user, &page, now_ms)?,
            })
        });
        Ok(listing.await?)
    }

    /// Deletes a data store with its entries.
    pub async fn delete(&self, actor: &Actor, name: String) -> Result<(), EngineError> {
        let target = Target::new(TargetKind::DataStore, &name, &name);
        let change = Change::new(&self.infra, actor, Action::DataStoreDelete, target);
        let user = actor.user_id.clone();
        let removed = self.infra.store.write(move |c| {
            let store = StoreRef {
                user: &user,
                name: &name,
            };
            let removed = data_stores::remove(c, store)?;
            if removed {
                change.record(c)?;
            }
            Ok(removed)
        });
        if removed.await? {
            Ok(())
        } else {
            Err(EngineError::NotFound("data store"))
        }
    }
}
