//! Errors of the server in local code, with the name of the local file. The server calls a file that was sent alone
//! `component.mjs` or the like.

use std::path::Path;

use crate::client::ClientError;

const NAMES: [&str; 6] = [
    "component.mjs:",
    "component.cjs:",
    "component.js:",
    "component.ts:",
    "component.mts:",
    "component.cts:",
];

/// The errors that the server found in the code of `file` or in other input. `None` when the request failed for another
/// reason.
pub(crate) fn input_errors(file: &Path, error: &ClientError) -> Option<Vec<String>> {
    let file = file.display().to_string();
    if let Some(errors) = error.code_errors() {
        return Some(errors.iter().map(|error| error.located(&file)).collect());
    }
    let errors = error.input_errors()?;
    let with_file = errors.iter().map(|error| with_file_name(&file, error));
    Some(with_file.collect())
}

/// The errors in the code of `file`, each with its location, in place of those of the server.
pub(crate) fn with_location(file: &Path, error: anyhow::Error) -> anyhow::Error {
    let sent = error.downcast_ref::<ClientError>();
    match sent.and_then(ClientError::code_errors) {
        Some(errors) if !errors.is_empty() => {
            let file = file.display().to_string();
            let lines: Vec<String> = errors.iter().map(|error| error.located(&file)).collect();
            anyhow::anyhow!("{}", lines.join("\n"))
        }
        _ => error,
    }
}

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
    fn code_errors_have_the_location_in_the_local_file() {
        let body = r#"{"error": "the code does not load", "details": {"component_code": ["no (line 2, column 7)", "lib/b.mjs:1:1: no"],
            "code": [{"message": "no", "line": 2, "column": 7}, {"message": "no", "file": "lib/b.mjs", "line": 1, "column": 1}]}}"#;
        let error = ClientError::api("http://a", 422, body.as_bytes());
        let file = Path::new("src/a.mjs");
        let expected = ["src/a.mjs:2:7: no", "lib/b.mjs:1:1: no"];
        assert_eq!(input_errors(file, &error).unwrap(), expected);
        assert_eq!(
            with_location(file, error.into()).to_string(),
            expected.join("\n")
        );
        let other = ClientError::api("http://a", 404, br#"{"error": "no user"}"#);
        assert_eq!(with_location(file, other.into()).to_string(), "no user");
    }

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
