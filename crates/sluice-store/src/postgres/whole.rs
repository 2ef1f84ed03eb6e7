//! Transactions on a whole database, beside servers or instead of them.

use std::sync::Arc;

use super::{connect::Connector, session::Link, transaction::Transaction};
use crate::{
    conn::Conn,
    error::{Result, StoreError},
    job::Access,
    nodes,
    transfer::is_empty,
};

/// The name of the sessions.
const NAME: &str = "transfer";

/// They take as long as the data needs, and wait for slow readers and writers of files. Rows come in the order of an index, so
/// that none are sorted in temporary files of the server.
const SETTINGS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
     SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL tcp_user_timeout = 0; \
     SET LOCAL enable_sort = off";

/// A small change beside servers. It waits for others that change the same rows, but not for one that hangs.
const UPDATING: &str = "SET LOCAL lock_timeout = '30s'";

pub(crate) fn snapshot<T, E: From<StoreError>>(
    url: &str,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    transaction(url, Access::Read, SETTINGS, |transaction| work(transaction))
}

pub(crate) fn update<T, E: From<StoreError>>(
    url: &str,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    transaction(url, Access::Write, UPDATING, |transaction| {
        let result = work(transaction)?;
        transaction.commit()?;
        Ok(result)
    })
}

pub(crate) fn fill<T, E: From<StoreError>>(
    url: &str,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    transaction(url, Access::Write, SETTINGS, |transaction| {
        if !is_empty(transaction)? {
            let text = "the database has tables already: use an empty one";
            return Err(StoreError::Unusable(text.to_owned()).into());
        }
        let result = work(transaction)?;
        transaction.commit()?;
        Ok(result)
    })
}

pub(crate) fn while_unused<T, E: From<StoreError>>(
    url: &str,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    transaction(url, Access::Write, SETTINGS, |transaction| {
        nodes::lock_joins(transaction)?;
        let nodes = nodes::list(transaction)?;
        if let Some(node) = nodes.iter().find(|node| node.may_be_unaware()) {
            let text = if node.is_alive() {
                format!("the server {} uses the database: stop it first", node.name)
            } else {
                format!(
                    "the server {} was not stopped, and its lease has run out only now: try again in a minute",
                    node.name
                )
            };
            return Err(StoreError::Unusable(text).into());
        }
        work()
    })
}

/// An error drops the connection, and with it the transaction.
fn transaction<T, E: From<StoreError>>(
    url: &str,
    access: Access,
    settings: &str,
    work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let connector = Arc::new(Connector::new(url, None, NAME)?);
    let link = Link::new(connector, Arc::default(), access, Arc::default())?;
    let session = link.connect()?;
    let mut transaction = Transaction::new(&link, session, false);
    transaction.execute_script(settings)?;
    let result = work(&mut transaction)?;
    transaction.roll_back();
    Ok(result)
}
