//! The schema and the parser agree: what one takes the other takes, but for what only reading can tell.

use std::{
    io::Write,
    ops::RangeInclusive,
    process::{Command, Stdio},
};

use proptest::{strategy::Strategy, strategy::ValueTree, test_runner::TestRunner};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{written::documents, *};
use crate::workflow::{RetryPolicy, SCHEMA, Throttle, WorkflowSettings};

#[derive(Deserialize)]
pub(super) struct Verdict {
    /// The errors of each document.
    pub(super) documents: Vec<Vec<String>>,
    /// The errors of the examples and defaults of the schema.
    examples: Vec<String>,
}

/// The results of Ajv for the schema and for documents.
pub(super) fn validate(documents: &[Value]) -> Verdict {
    let mut node = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/validate.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node can be started");
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let input = json!({ "schema": schema, "documents": documents }).to_string();
    let mut stdin = node.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("node reads");
    drop(stdin);
    let output = node.wait_with_output().expect("node ends");
    serde_json::from_slice(&output.stdout).expect("a verdict")
}

pub(super) fn as_json(yaml: &str) -> Value {
    let errors = ErrorCollector::default();
    let root = tree(yaml, &errors).expect("YAML");
    values::json(&Field::root(&root, &errors)).expect("JSON")
}

#[test]
fn the_examples_of_the_schema_suit_it() {
    let verdict = validate(&[as_json(super::good::EVERYTHING)]);
    assert_eq!(verdict.examples, [""; 0]);
    assert_eq!(verdict.documents, [[""; 0]]);
}

#[test]
fn the_workflows_of_the_documentation_suit_parser_and_schema() {
    let text = include_str!("../../../../../../docs/workflows.md");
    let blocks = text.split("```yaml\n").skip(1);
    let blocks: Vec<_> = blocks
        .filter_map(|block| block.split("```").next())
        .filter(|block| block.contains("\nname: ") || block.starts_with("name: "))
        .collect();
    assert!(blocks.len() >= 2, "{blocks:?}");
    let documents: Vec<_> = blocks.iter().map(|block| as_json(block)).collect();
    for (block, errors) in blocks.iter().zip(validate(&documents).documents) {
        document(block);
        assert_eq!(errors, [""; 0], "{block}");
    }
}

#[test]
fn limits_and_defaults_are_the_same_in_both() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let limits = |pointer: &str, range: &RangeInclusive<u32>| {
        let part = schema.pointer(pointer).expect(pointer);
        let limits = (part["minimum"].as_u64(), part["maximum"].as_u64());
        let expected = (
            Some(u64::from(*range.start())),
            Some(u64::from(*range.end())),
        );
        assert_eq!(limits, expected, "{pointer}");
        part["default"].as_u64()
    };
    let settings = |field: &str| format!("/properties/settings/properties/{field}");
    let retry = |field: &str| format!("/$defs/retry/properties/{field}");
    let (defaults, policy) = (WorkflowSettings::default(), RetryPolicy::default());
    let expected = |number: u32| Some(u64::from(number));
    assert_eq!(
        limits(&settings("concurrency"), &WorkflowSettings::CONCURRENCY),
        expected(defaults.concurrency)
    );
    assert_eq!(
        limits(&settings("queue"), &WorkflowSettings::QUEUE),
        expected(defaults.queue)
    );
    assert_eq!(
        limits(&retry("delay_seconds"), &RetryPolicy::DELAY_SECONDS),
        expected(policy.delay_seconds)
    );
    assert_eq!(
        limits(&retry("max_delay_seconds"), &RetryPolicy::DELAY_SECONDS),
        expected(policy.max_delay_seconds)
    );
    limits(&retry("max_retries"), &RetryPolicy::MAX_RETRIES);
    limits("/$defs/timeout", &WorkflowSettings::TIMEOUT_SECONDS);
    let throttle = settings("throttle/properties");
    limits(&format!("{throttle}/limit"), &Throttle::LIMIT);
    limits(
        &format!("{throttle}/interval_seconds"),
        &Throttle::INTERVAL_SECONDS,
    );
}

/// Errors that only the parser finds, by their messages.
const ONLY_BY_READING: [&str; 10] = [
    "is the name of the step",
    "is not a valid cron expression",
    "never fires",
    "is not known",
    "must not lead out",
    "must name a file",
    "has {{",
    "must not be shorter than delay_seconds",
    "too large for JavaScript",
    "must not contain NUL",
];

#[test]
fn parser_and_schema_agree_on_whatever_is_written() {
    let mut runner = TestRunner::deterministic();
    let strategy = documents();
    let documents: Vec<_> = (0..3000)
        .map(|_| {
            strategy
                .new_tree(&mut runner)
                .expect("a document")
                .current()
        })
        .collect();
    let mut good = 0;
    for (document, schema_errors) in documents.iter().zip(validate(&documents).documents) {
        let text = document.to_string();
        let Err(errors) = parse(&text) else {
            assert!(schema_errors.is_empty(), "{text}: {schema_errors:?}");
            good += 1;
            continue;
        };
        let by_reading = |error: &DocumentError| {
            let known = |words: &&str| error.message.contains(*words);
            ONLY_BY_READING.iter().any(known)
        };
        if schema_errors.is_empty() {
            assert!(errors.iter().all(by_reading), "{text}: {errors:#?}");
        }
    }
    assert!(good > 100, "only {good} documents are good");
}
