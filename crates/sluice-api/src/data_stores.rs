//! Data stores: key-value stores that the sources of a user share.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A data store. It is created when a component sets its first key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DataStore {
    /// Its name, which is the value of the prop of a source.
    pub name: String,
    /// The number of keys.
    pub keys: u64,
    /// The size of all keys and values.
    pub bytes: u64,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
}
