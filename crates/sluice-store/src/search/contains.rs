//! SQL that looks for text in a column.

use crate::conn::Dialect;

/// Not `LIKE`, which takes time in proportion to both texts' lengths, so that a patient enemy could make it take minutes. Both
/// databases lower ASCII letters only.
pub(crate) fn contains(dialect: Dialect, column: &str, needle: &str) -> String {
    format!(
        "{} > 0",
        position(dialect, &format!("LOWER({column})"), needle)
    )
}

/// Where the needle begins in the text, counted from 1; 0 when it is not there.
pub(crate) fn position(dialect: Dialect, text: &str, needle: &str) -> String {
    let function = match dialect {
        Dialect::Sqlite => "instr",
        Dialect::Postgres => "strpos",
    };
    format!("{function}({text}, {needle})")
}
