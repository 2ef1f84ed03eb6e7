mod both_readers;
mod faults;
mod good;
mod hostile;
mod positions;
mod schema;
mod syntax;
mod table;
mod written;

use super::*;

/// The smallest workflow there is.
const STEPS: &str = "steps:\n  - name: a\n    code: x\n";

/// What is wrong with a document, line by line.
fn faults(text: &str) -> Vec<String> {
    let faults = parse(text).expect_err("a document with mistakes");
    faults.iter().map(ToString::to_string).collect()
}

/// The document of a text without mistakes.
fn document(text: &str) -> Document {
    parse(text).unwrap_or_else(|faults| panic!("{faults:#?}")).0
}
