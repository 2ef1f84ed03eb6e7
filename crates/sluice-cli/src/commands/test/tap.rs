//! A parser of the Test Anything Protocol, the report of the test runner.

use serde::Serialize;
use serde_json::Value;

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct TestResult {
    pub(super) file: String,
    /// With the names of the enclosing tests in front.
    pub(super) name: String,
    pub(super) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// Parses the report line by line.
#[derive(Default)]
pub(super) struct Tap {
    file: String,
    results: Vec<TestResult>,
    /// The names of the enclosing tests.
    parents: Vec<String>,
    /// Lines that are not part of the report.
    rest: Vec<String>,
}

const INDENT: usize = 4;

impl Tap {
    pub(super) fn new(file: &str) -> Tap {
        Tap {
            file: file.to_owned(),
            ..Tap::default()
        }
    }

    pub(super) fn line(&mut self, line: &str) {
        let text = line.trim_start();
        let depth = (line.len() - text.len()) / INDENT;
        if let Some(name) = text.strip_prefix("# Subtest: ") {
            self.parents.truncate(depth);
            self.parents.push(name.to_owned());
        } else if let Some((outcome, name)) = result(text) {
            self.parents.truncate(depth);
            let names = self.parents.iter().map(String::as_str).chain([name]);
            self.results.push(TestResult {
                file: self.file.clone(),
                name: names.collect::<Vec<_>>().join(" > "),
                outcome,
                error: None,
            });
        } else if let Some(diagnosis) = diagnosis(text) {
            if let Some(last) = self.results.last_mut() {
                last.error = Some(diagnosis);
            }
        } else if !is_syntax(text) {
            self.rest.push(line.to_owned());
        }
    }

    pub(super) fn finish(self) -> (Vec<TestResult>, Vec<String>) {
        (self.results, self.rest)
    }
}

/// `ok 1 - name`, `not ok 2 - name`, `ok 3 - name # SKIP`.
fn result(text: &str) -> Option<(Outcome, &str)> {
    let (failed, text) = match text.strip_prefix("not ") {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (number, name) = text.strip_prefix("ok ")?.split_once(" - ")?;
    number.parse::<u32>().ok()?;
    let skipped = name.strip_suffix(" # SKIP");
    let outcome = match (failed, skipped) {
        (true, _) => Outcome::Failed,
        (false, Some(_)) => Outcome::Skipped,
        (false, None) => Outcome::Passed,
    };
    Some((outcome, skipped.unwrap_or(name)))
}

/// The reason of a failure, which the runner writes as JSON.
fn diagnosis(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    value.get("severity")?;
    let lines = value.get("message")?.as_str()?.lines();
    let lines: Vec<&str> = lines.filter(|line| !is_harness_frame(line)).collect();
    Some(lines.join("\n"))
}

fn is_harness_frame(line: &str) -> bool {
    line.trim_start().starts_with("at ") && line.contains("/harness/test_")
}

/// Lines without information.
fn is_syntax(text: &str) -> bool {
    let is_plan = || {
        let count = text.strip_prefix("1..");
        count.is_some_and(|count| count.parse::<u32>().is_ok())
    };
    matches!(text, "" | "---" | "..." | "TAP version 14") || text.starts_with("# ") || is_plan()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_their_groups_and_reasons() {
        let report = "TAP version 14\n# a.test.mjs\nok 1 - first\nnot ok 2 - second\n  ---\n  {\"message\":\"1 !== 2\",\"severity\":\"fail\",\"at\":{\"file\":\"a\",\"line\":5}}\n  ...\n# Subtest: group\n    ok 1 - third - or so\n    1..1\nok 3 - group\nprinted by a test\nok 4 - fourth # SKIP\n1..4\n";
        let mut tap = Tap::new("a.test.mjs");
        for line in report.lines() {
            tap.line(line);
        }
        let (results, rest) = tap.finish();
        let parsed: Vec<_> = results
            .iter()
            .map(|result| {
                (
                    result.name.as_str(),
                    result.outcome,
                    result.error.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            parsed,
            [
                ("first", Outcome::Passed, None),
                ("second", Outcome::Failed, Some("1 !== 2")),
                ("group > third - or so", Outcome::Passed, None),
                ("group", Outcome::Passed, None),
                ("fourth", Outcome::Skipped, None),
            ]
        );
        assert_eq!(rest, ["printed by a test"]);
    }
}
