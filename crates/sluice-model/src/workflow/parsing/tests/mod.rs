mod both_readers;
mod errors;
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

/// The errors of a document, one in each line.
fn errors(text: &str) -> Vec<String> {
    let errors = parse(text).expect_err("an invalid document");
    errors.iter().map(ToString::to_string).collect()
}

/// The document of a valid text.
fn document(text: &str) -> Document {
    parse(text).unwrap_or_else(|errors| panic!("{errors:#?}")).0
}
