//! Filters of lists that users saved.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sluice_model::SavedFilterId;
use utoipa::ToSchema;

/// A filter of a list, under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SavedFilter {
    #[schema(value_type = String, example = "flt_a1B2c3D4e5F6")]
    pub id: SavedFilterId,
    /// `events`, `runs` or `logs`.
    pub list: String,
    pub name: String,
    /// Texts by name, such as `q`, `range` and `columns`, as in the address of the list in the console.
    pub parameters: BTreeMap<String, String>,
    /// Epoch seconds.
    pub created_at: i64,
}

/// Body of `POST /saved_filters`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "list": "events", "name": "Large orders", "parameters": { "q": "total:>100", "range": "7d" } }))]
pub struct CreateSavedFilter {
    /// `events`, `runs` or `logs`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub list: Option<String>,
    /// Unique for the list. At most 100 characters.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub name: Option<String>,
    /// At most 16 texts.
    pub parameters: Option<BTreeMap<String, String>>,
}

/// Body of `PUT /saved_filters/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "name": "Very large orders" }))]
pub struct UpdateSavedFilter {
    /// Default: unchanged.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    /// Default: unchanged.
    pub parameters: Option<BTreeMap<String, String>>,
}
