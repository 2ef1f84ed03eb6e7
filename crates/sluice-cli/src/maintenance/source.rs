//! The description of a database that is read.

use sluice_backup::Header;
use sluice_model::{Clock, SystemClock};
use sluice_store::{Conn, transfer};

use super::master_key::KeysOf;

/// Describes a snapshot. The keys must be the one of the database.
pub(super) fn describe<'k>(
    c: &mut dyn Conn,
    keys: impl IntoIterator<Item = &'k KeysOf>,
) -> anyhow::Result<Header> {
    let schema = transfer::schema_version(c)?;
    keys.into_iter()
        .try_for_each(|keys| keys.fitting(c).map(drop))?;
    Ok(Header {
        sluice: env!("CARGO_PKG_VERSION").to_owned(),
        schema,
        migrations: transfer::migrations(c)?,
        database: c.dialect().into(),
        created_at: SystemClock.now_ms(),
        master_key: None,
        journal: String::new(),
    })
}
