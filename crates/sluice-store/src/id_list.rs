//! Several ids as one parameter, so that a statement has the same text, and is prepared once, however many there are.

use crate::{conn::Dialect, error::Result, row::to_json, value::Value};

/// Any number of ids, as a parameter for [`ids_in`].
pub(crate) struct IdList(String);

impl IdList {
    pub(crate) fn new<T: AsRef<str>>(ids: &[T]) -> Result<IdList> {
        let ids: Vec<&str> = ids.iter().map(T::as_ref).collect();
        to_json(&ids).map(IdList)
    }
}

impl<'a> From<&'a IdList> for Value<'a> {
    fn from(IdList(json): &'a IdList) -> Self {
        Value::Text(json)
    }
}

/// The condition that a column has one of the ids of an [`IdList`]. PostgreSQL looks each of them up in an index on the
/// column, whatever it believes about the size of the table.
pub(crate) fn is_among(dialect: Dialect, column: &str, param: &str) -> String {
    is_among_type(dialect, column, param, "TEXT")
}

/// As [`is_among`], for a column of numbers.
pub(crate) fn is_among_numbers(dialect: Dialect, column: &str, param: &str) -> String {
    is_among_type(dialect, column, param, "BIGINT")
}

fn is_among_type(dialect: Dialect, column: &str, param: &str, ty: &str) -> String {
    let ids = ids_in(dialect, param);
    match dialect {
        Dialect::Sqlite => {
            format!("{column} IN (SELECT CAST(value AS {ty}) FROM json_each({param}))")
        }
        Dialect::Postgres => format!("{column} = ANY(CAST(ARRAY{ids} AS {ty}[]))"),
    }
}

/// The operand of `IN` for the ids of an [`IdList`].
pub(crate) fn ids_in(dialect: Dialect, param: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("(SELECT value FROM json_each({param}))"),
        Dialect::Postgres => {
            format!("(SELECT json_array_elements_text(CAST(CAST({param} AS TEXT) AS JSON)))")
        }
    }
}
