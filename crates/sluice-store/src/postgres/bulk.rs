//! An `INSERT` of any number of rows as one statement: its parameters become arrays, one for each column.

use tokio_postgres::types::Type;

use super::placeholders::rename;
use crate::error::{Result, StoreError};

/// Turns `INSERT … VALUES (?1, …) …` into `INSERT … SELECT … FROM UNNEST($1, …) …`. `types` are those of the parameters.
pub(super) fn unnested(sql: &str, types: &[Type]) -> Result<String> {
    const VALUES: &str = "VALUES (";
    let parts = sql.split_once(VALUES).and_then(|(head, rest)| {
        let (row, tail) = rest.split_at_checked(closing(rest)?)?;
        Some((head, row, tail.strip_prefix(')')?))
    });
    let Some((head, row, tail)) = parts else {
        return Err(StoreError::Internal(format!("no VALUES list: {sql}")));
    };
    let numbers = 1..=types.len();
    let arrays = numbers
        .clone()
        .zip(types)
        .map(|(number, ty)| format!("${number}::{}[]", ty.name()));
    let names = numbers.map(|number| format!("p{number}"));
    Ok(format!(
        "{head}SELECT {} FROM UNNEST({}) AS r({}){tail}",
        rename(row, "r.p"),
        arrays.collect::<Vec<_>>().join(", "),
        names.collect::<Vec<_>>().join(", "),
    ))
}

/// The position of the parenthesis that closes the one before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (position, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(position),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_becomes_an_array() {
        let sql = "INSERT INTO t (a, b, c) VALUES (?1, 0, ?2) ON CONFLICT (a) DO NOTHING";
        assert_eq!(
            unnested(sql, &[Type::TEXT, Type::INT8]).unwrap(),
            "INSERT INTO t (a, b, c) SELECT r.p1, 0, r.p2 \
             FROM UNNEST($1::text[], $2::int8[]) AS r(p1, p2) ON CONFLICT (a) DO NOTHING"
        );
    }

    #[test]
    fn parentheses_in_the_row_are_kept() {
        let sql = "INSERT INTO t (a) VALUES (CAST(?1 AS BIGINT))";
        assert_eq!(
            unnested(sql, &[Type::INT8]).unwrap(),
            "INSERT INTO t (a) SELECT CAST(r.p1 AS BIGINT) FROM UNNEST($1::int8[]) AS r(p1)"
        );
    }

    #[test]
    fn other_statements_are_rejected() {
        assert!(unnested("DELETE FROM t WHERE a = ?1", &[Type::TEXT]).is_err());
    }
}
