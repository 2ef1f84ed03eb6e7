//! A version of a published component, and the shelf that it is on.

use sluice_model::{ComponentId, ComponentKind, UserId};

use crate::{
    error::Result,
    row::{FromRow, Row},
    value::{FromValue, Value, text},
};

/// Where a component is published, and so for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shelf {
    Account(UserId),
    /// The operator's, for every user of this server.
    Server,
}

pub(super) const SERVER: &str = "server";

impl<'a> From<&'a Shelf> for Value<'a> {
    fn from(shelf: &'a Shelf) -> Self {
        match shelf {
            Shelf::Account(user) => user.into(),
            Shelf::Server => SERVER.into(),
        }
    }
}

impl FromValue for Shelf {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match text(value)? {
            SERVER => Some(Shelf::Server),
            user => UserId::parse(user).map(Shelf::Account),
        }
    }
}

/// One version of a published component, with the fields that a search uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    pub shelf: Shelf,
    pub key: String,
    pub version: String,
    pub component_id: ComponentId,
    /// The slug of the app that it is for.
    pub app: Option<String>,
    pub kind: ComponentKind,
    pub name: String,
    pub description: Option<String>,
    pub published_at: i64,
}

impl FromRow for Publication {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Publication {
            shelf: row.get(0)?,
            key: row.get(1)?,
            version: row.get(2)?,
            component_id: row.get(3)?,
            app: row.get(4)?,
            kind: row.get(5)?,
            name: row.get(6)?,
            description: row.get(7)?,
            published_at: row.get(8)?,
        })
    }
}
