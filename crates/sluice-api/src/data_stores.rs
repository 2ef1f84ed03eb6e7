//! Data stores: key-value stores that the sources of a user share.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A data store. It exists once a component has set something in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DataStore {
    /// What the prop of a source is set to.
    pub name: String,
    /// How many keys it holds.
    pub keys: u64,
    /// Of its keys and values together.
    pub bytes: u64,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
}
