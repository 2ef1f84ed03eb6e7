//! SQL is written with `?1`; PostgreSQL wants `$1`.

/// Translates the placeholders outside quoted text.
pub(super) fn translate(sql: &str) -> String {
    rename(sql, "$")
}

/// Puts `prefix` before the number of each placeholder outside quoted text.
pub(super) fn rename(sql: &str, prefix: &str) -> String {
    let mut translated = String::with_capacity(sql.len());
    let mut quoted = false;
    for character in sql.chars() {
        match character {
            '\'' => {
                quoted = !quoted;
                translated.push('\'');
            }
            '?' if !quoted => translated.push_str(prefix),
            other => translated.push(other),
        }
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn numbers_are_kept() {
        assert_eq!(
            translate("UPDATE t SET a = ?2 WHERE b = ?10"),
            "UPDATE t SET a = $2 WHERE b = $10"
        );
    }

    #[test]
    fn quoted_text_is_left_alone() {
        assert_eq!(translate("SELECT 'it''s ?1', ?1"), "SELECT 'it''s ?1', $1");
    }
}
