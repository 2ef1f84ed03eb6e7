//! Where something is wrong, in the words of whoever wrote the file.
//!
//! A file that goes to the server as it is has the name `component` there, and faults of it only a line and a column.

const NAMES: [&str; 6] = [
    "component.mjs:",
    "component.cjs:",
    "component.js:",
    "component.ts:",
    "component.mts:",
    "component.cts:",
];

/// A stack or a log line, with the file called `file`.
pub(crate) fn in_file(file: &str, text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, name)) = first_name(rest) {
        let is_word = |c: char| c.is_alphanumeric() || "_/.-".contains(c);
        let is_part_of_another = rest[..at].ends_with(is_word);
        told.push_str(&rest[..at]);
        if is_part_of_another {
            told.push_str(name);
        } else {
            told.push_str(file);
            told.push(':');
        }
        rest = &rest[at + name.len()..];
    }
    told.push_str(rest);
    told
}

fn first_name(text: &str) -> Option<(usize, &'static str)> {
    let found = NAMES
        .iter()
        .filter_map(|name| Some((text.find(name)?, *name)));
    found.min_by_key(|(at, _)| *at)
}

/// A fault of code, with its place before it: `file:3:7: Unexpected token`.
pub(crate) fn fault_in_file(file: &str, fault: &str) -> String {
    match split_place(fault) {
        Some((message, line, column)) => format!("{file}:{line}:{column}: {message}"),
        None => in_file(file, fault),
    }
}

/// The parts of `Unexpected token (line 3, column 7)`.
fn split_place(fault: &str) -> Option<(&str, u32, u32)> {
    let (message, place) = fault.strip_suffix(')')?.rsplit_once(" (line ")?;
    let (line, column) = place.split_once(", column ")?;
    Some((message, line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_the_name_that_its_author_gave_it() {
        let stack =
            "Error: no\n    at Object.run (component.mjs:3:9)\n    at lib/my-component.mjs:1:2";
        assert_eq!(
            in_file("src/a.mjs", stack),
            "Error: no\n    at Object.run (src/a.mjs:3:9)\n    at lib/my-component.mjs:1:2"
        );
        assert_eq!(in_file("a.js", "nothing"), "nothing");
    }

    #[test]
    fn a_fault_begins_with_its_place() {
        assert_eq!(
            fault_in_file("a.mjs", "Unexpected token (line 3, column 7)"),
            "a.mjs:3:7: Unexpected token"
        );
        assert_eq!(
            fault_in_file("a.mjs", "lib/b.ts:4:9: no"),
            "lib/b.ts:4:9: no"
        );
        assert_eq!(
            fault_in_file("a.mjs", "name is required"),
            "name is required"
        );
    }
}
