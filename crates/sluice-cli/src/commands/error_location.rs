//! Error locations with the name of the local file.
//!
//! The server calls a file that was sent unbundled `component.mjs` or the like, and its errors have only a line and a column.

const NAMES: [&str; 6] = [
    "component.mjs:",
    "component.cjs:",
    "component.js:",
    "component.ts:",
    "component.mts:",
    "component.cts:",
];

/// Replaces the server's name of the file in a stack trace or log line.
pub(crate) fn with_file_name(file: &str, text: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, name)) = first_name(rest) {
        let is_word = |c: char| c.is_alphanumeric() || "_/.-".contains(c);
        let is_part_of_another = rest[..at].ends_with(is_word);
        replaced.push_str(&rest[..at]);
        if is_part_of_another {
            replaced.push_str(name);
        } else {
            replaced.push_str(file);
            replaced.push(':');
        }
        rest = &rest[at + name.len()..];
    }
    replaced.push_str(rest);
    replaced
}

fn first_name(text: &str) -> Option<(usize, &'static str)> {
    let positions = NAMES
        .iter()
        .filter_map(|name| Some((text.find(name)?, *name)));
    positions.min_by_key(|(at, _)| *at)
}

/// An error in code, with its location in front: `file:3:7: Unexpected token`.
pub(crate) fn locate_error(file: &str, error: &str) -> String {
    match split_location(error) {
        Some((message, line, column)) => format!("{file}:{line}:{column}: {message}"),
        None => with_file_name(file, error),
    }
}

/// The parts of `Unexpected token (line 3, column 7)`.
fn split_location(error: &str) -> Option<(&str, u32, u32)> {
    let (message, location) = error.strip_suffix(')')?.rsplit_once(" (line ")?;
    let (line, column) = location.split_once(", column ")?;
    Some((message, line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stack_traces_name_the_local_file() {
        let stack =
            "Error: no\n    at Object.run (component.mjs:3:9)\n    at lib/my-component.mjs:1:2";
        assert_eq!(
            with_file_name("src/a.mjs", stack),
            "Error: no\n    at Object.run (src/a.mjs:3:9)\n    at lib/my-component.mjs:1:2"
        );
        assert_eq!(with_file_name("a.js", "nothing"), "nothing");
    }

    #[test]
    fn an_error_begins_with_its_location() {
        assert_eq!(
            locate_error("a.mjs", "Unexpected token (line 3, column 7)"),
            "a.mjs:3:7: Unexpected token"
        );
        assert_eq!(
            locate_error("a.mjs", "lib/b.ts:4:9: no"),
            "lib/b.ts:4:9: no"
        );
        assert_eq!(
            locate_error("a.mjs", "name is required"),
            "name is required"
        );
    }
}
