//! The environment variables that code and expressions read.

use std::collections::BTreeSet;

const READ: &str = "process.env";

/// The names after `process.env.`, and in `process.env["…"]`.
pub(super) fn env_names(code: &str) -> BTreeSet<String> {
    let reads = code.split(READ).skip(1);
    reads.filter_map(name_at).map(str::to_owned).collect()
}

fn name_at(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix('?').unwrap_or(rest);
    let quoted = ["[\"", "['", "[`"];
    let begin = quoted
        .iter()
        .chain(&["."])
        .find_map(|opening| rest.strip_prefix(opening))?;
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let end = begin.find(|character| !is_part(character));
    let name = &begin[..end.unwrap_or(begin.len())];
    (!name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_are_found() {
        let code = "process.env.A + process.env['B_2'] + process.env[\"C\"] + process.env?.D + process.env + process.env.1";
        let names = env_names(code);
        assert_eq!(
            names.into_iter().collect::<Vec<_>>(),
            ["A", "B_2", "C", "D"]
        );
    }
}
