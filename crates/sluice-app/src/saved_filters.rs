//! Filters of lists that users save under a name. They are preferences, so the audit log does not have them.

use std::collections::BTreeMap;

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::{SavedFilterId, SearchQuery, UserId};
use sluice_store::{
    Conn, StoreError,
    saved_filters::{self, FilteredList, SavedFilter},
    users,
};

/// Filters of one user.
const MAX_FILTERS: u64 = 200;
/// The longest name, in characters.
const MAX_NAME: usize = 100;
const MAX_PARAMETERS: usize = 16;
/// The longest parameter, in bytes.
const MAX_VALUE: usize = 2_000;

/// Saves, lists and removes filters.
#[derive(Clone)]
pub struct SavedFilters {
    infra: Infra,
}

/// What [`SavedFilters::change`] changes.
#[derive(Debug, Default)]
pub struct FilterChange {
    pub name: Option<String>,
    pub parameters: Option<BTreeMap<String, String>>,
}

enum Saving {
    Saved(SavedFilter),
    Missing,
    Taken,
    Full,
}

impl SavedFilters {
    pub(crate) fn new(infra: &Infra) -> SavedFilters {
        SavedFilters {
            infra: infra.clone(),
        }
    }

    pub async fn list(&self, user: &UserId) -> Result<Vec<SavedFilter>, EngineError> {
        let user = user.clone();
        let store = &self.infra.store;
        Ok(store.read(move |c| saved_filters::list(c, &user)).await?)
    }

    pub async fn create(
        &self,
        user: &UserId,
        list: FilteredList,
        name: &str,
        parameters: BTreeMap<String, String>,
    ) -> Result<SavedFilter, EngineError> {
        let filter = SavedFilter {
            id: SavedFilterId::random(&mut self.infra.ids.rng()),
            user_id: user.clone(),
            list,
            name: checked_name(name)?,
            parameters: checked(parameters)?,
            created_at: self.infra.creation_ms(),
        };
        let saved = self.infra.store.write(move |c| {
            // Filters that are saved together are counted one after the other.
            users::hold(c, &filter.user_id)?;
            if saved_filters::count(c, &filter.user_id)? >= MAX_FILTERS {
                return Ok(Saving::Full);
            }
            save(c, filter)
        });
        saved.await?.result()
    }

    pub async fn change(
        &self,
        user: &UserId,
        id: SavedFilterId,
        change: FilterChange,
    ) -> Result<SavedFilter, EngineError> {
        let FilterChange { name, parameters } = change;
        let name = name.as_deref().map(checked_name).transpose()?;
        let parameters = parameters.map(checked).transpose()?;
        let user = user.clone();
        let saved = self.infra.store.write(move |c| {
            users::hold(c, &user)?;
            let Some(before) = saved_filters::get(c, &user, &id)? else {
                return Ok(Saving::Missing);
            };
            let filter = SavedFilter {
                name: name.unwrap_or(before.name),
                parameters: parameters.unwrap_or(before.parameters),
                ..before
            };
            save(c, filter)
        });
        saved.await?.result()
    }

    pub async fn delete(&self, user: &UserId, id: SavedFilterId) -> Result<(), EngineError> {
        let user = user.clone();
        let removed = self
            .infra
            .store
            .write(move |c| saved_filters::remove(c, &user, &id));
        if removed.await? {
            Ok(())
        } else {
            Err(EngineError::NotFound("filter"))
        }
    }
}

impl Saving {
    fn result(self) -> Result<SavedFilter, EngineError> {
        match self {
            Saving::Saved(filter) => Ok(filter),
            Saving::Missing => Err(EngineError::NotFound("filter")),
            Saving::Taken => Err(EngineError::Conflict(
                "another filter of this list has the name".to_owned(),
            )),
            Saving::Full => Err(EngineError::Conflict(format!(
                "there are {MAX_FILTERS} filters already: delete one first"
            ))),
        }
    }
}

fn save(c: &mut dyn Conn, filter: SavedFilter) -> Result<Saving, StoreError> {
    if saved_filters::is_taken(c, &filter)? {
        return Ok(Saving::Taken);
    }
    saved_filters::put(c, &filter)?;
    Ok(Saving::Saved(filter))
}

fn checked_name(name: &str) -> Result<String, EngineError> {
    let name = name.trim();
    let is_valid = (1..=MAX_NAME).contains(&name.chars().count()) && !name.contains('\0');
    if is_valid {
        return Ok(name.to_owned());
    }
    let message = format!("name must have 1 to {MAX_NAME} characters");
    Err(EngineError::BadRequest(message))
}

fn checked(parameters: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, EngineError> {
    let is_short = |text: &String| text.len() <= MAX_VALUE && !text.contains('\0');
    let are_short = parameters
        .iter()
        .all(|(name, value)| is_short(name) && is_short(value));
    if parameters.len() > MAX_PARAMETERS || !are_short {
        return Err(EngineError::BadRequest(format!(
            "parameters must be at most {MAX_PARAMETERS} texts of at most {MAX_VALUE} bytes"
        )));
    }
    if let Some(query) = parameters.get("q") {
        SearchQuery::parse(query)
            .map_err(|error| EngineError::BadRequest(format!("q: {error}")))?;
    }
    Ok(parameters)
}
