//! Stack traces with the name of the local file. The server calls a file that was sent alone `component.mjs` or the like.

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
}
