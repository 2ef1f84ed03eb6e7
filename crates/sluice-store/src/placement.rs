//! Where the work of emitters goes: the check that a node makes in the transaction that stores work.

use std::{borrow::Cow, collections::HashMap};

use sluice_model::EmitterId;

use crate::{
    conn::{Conn, Dialect, Query},
    error::Result,
    id_list::{IdList, is_among},
    nodes, params,
    row::Row,
    value::Value,
};

/// The owner of an emitter, and the number of its definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub owner: Option<String>,
    pub generation: i64,
}

/// The places of emitters; those that do not exist are left out. `None` when the lease of the node has run out: nothing that it
/// stores may count, because others may work as if it did not exist.
pub fn places(
    c: &mut dyn Conn,
    node: &str,
    emitters: &[EmitterId],
) -> Result<Option<HashMap<EmitterId, Place>>> {
    let ids = IdList::new(emitters)?;
    let mut lease = Lease {
        node,
        is_alive: false,
    };
    let mut places = Places {
        ids: &ids,
        found: HashMap::new(),
    };
    c.query_together(&mut [&mut lease, &mut places])?;
    Ok(lease.is_alive.then_some(places.found))
}

struct Lease<'a> {
    node: &'a str,
    is_alive: bool,
}

impl<'a> Query<'a> for Lease<'a> {
    fn sql(&self, dialect: Dialect) -> Cow<'static, str> {
        let now = nodes::now(dialect);
        format!("SELECT 1 FROM nodes WHERE incarnation = ?1 AND expires_at > {now}").into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        params![self.node].to_vec()
    }

    fn row(&mut self, _: &Row<'_>) -> Result<()> {
        self.is_alive = true;
        Ok(())
    }
}

struct Places<'a> {
    ids: &'a IdList,
    found: HashMap<EmitterId, Place>,
}

impl<'a> Query<'a> for Places<'a> {
    fn sql(&self, dialect: Dialect) -> Cow<'static, str> {
        format!(
            "SELECT emitter_id, owner, generation FROM emitter_state WHERE {}",
            is_among(dialect, "emitter_id", "?1")
        )
        .into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        params![self.ids].to_vec()
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        let place = Place {
            owner: row.get(1)?,
            generation: row.get(2)?,
        };
        self.found.insert(row.get(0)?, place);
        Ok(())
    }
}
