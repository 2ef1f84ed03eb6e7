//! The attributes of handlers list the parameters that their arguments read. Compared is the source code, because a handler does
//! not tell at run time what it reads.

use std::{collections::BTreeSet, fs, path::Path};

const ROUTES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/routes");
const FIELDS: &str = "FieldQuery";

#[test]
fn handlers_document_the_parameters_that_they_read() {
    let mut handlers = 0;
    for text in sources(Path::new(ROUTES)) {
        for part in text.split("#[utoipa::path(").skip(1) {
            let (attribute, rest) = part.split_once(")]\n").expect("the end of the attribute");
            let (signature, _) = rest.split_once(") -> ").expect("what the handler returns");
            let operation = between(attribute, "operation_id = \"", "\"").next();
            let operation = operation.expect("an operation id");
            assert_eq!(
                documented(attribute),
                read(attribute, signature),
                "{operation}"
            );
            handlers += 1;
        }
    }
    assert!(handlers > 100, "only {handlers} handlers were found");
}

/// The structs in `params(…)`.
fn documented(attribute: &str) -> BTreeSet<&str> {
    let params = attribute.split_once("params(").map_or("", |(_, rest)| rest);
    let mut depth = 1;
    let end = params.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    let words = params[..end.unwrap_or_default()].split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| word.ends_with("Query") || word.ends_with("Parameters"))
        .collect()
}

/// The structs that are read from the query string. A body that is not documented as such is in it, too.
fn read<'a>(attribute: &str, signature: &'a str) -> BTreeSet<&'a str> {
    let queries = between(signature, ": Query<", ">");
    let bodies = between(signature, "JsonBody<", ">");
    let bodies = bodies.filter(|body| {
        *body == FIELDS || (body.ends_with("Parameters") && !attribute.contains("request_body"))
    });
    let selected = signature.contains("fields }").then_some(FIELDS);
    queries.chain(bodies).chain(selected).collect()
}

/// The texts between two marks.
fn between<'a>(text: &'a str, before: &str, after: &str) -> impl Iterator<Item = &'a str> {
    let rests = text.split(before).skip(1);
    rests.filter_map(move |rest| rest.split(after).next())
}

fn sources(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the handlers");
    entries
        .flat_map(|entry| {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                sources(&path)
            } else {
                vec![fs::read_to_string(path).expect("source code")]
            }
        })
        .collect()
}
