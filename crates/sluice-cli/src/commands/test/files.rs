//! Running test files one after the other.

use std::{
    fmt::Write,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::json;
use sluice_code::ParsedModule;
use sluice_runtime::{Runtime, TestEnd, TestReport, TestSpec};

use super::{
    load_errors::load_error_lines,
    tap::{Outcome, Tap, TestResult},
};
use crate::commands::{
    code::read_tree,
    output::{BAD, GOOD, counted, show, show_json, show_stderr, styled},
};

pub(super) async fn run(
    runtime: &Runtime,
    files: &[PathBuf],
    json: bool,
) -> anyhow::Result<ExitCode> {
    let mut results = Vec::new();
    let mut failed = Vec::new();
    for file in files {
        let passed = if json {
            run_for_json(runtime, file, &mut results).await?
        } else {
            run_for_text(runtime, file).await?
        };
        if !passed {
            failed.push(file);
        }
    }
    if json {
        let count = |outcome| {
            results
                .iter()
                .filter(|result| result.outcome == outcome)
                .count()
        };
        show_json(&json!({
            "passed": count(Outcome::Passed),
            "failed": count(Outcome::Failed),
            "skipped": count(Outcome::Skipped),
            "tests": results,
        }))?;
    } else if files.len() > 1 {
        show_summary(files.len(), &failed)?;
    }
    Ok(if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn run_for_text(runtime: &Runtime, file: &Path) -> anyhow::Result<bool> {
    let report = if io::stdout().is_terminal() {
        TestReport::Coloured
    } else {
        TestReport::Plain
    };
    let mut shown = Ok(());
    let ended = run_one(runtime, file, report, |line| {
        if shown.is_ok() {
            shown = show(&format!("{line}\n"));
        }
    });
    let ended = ended.await?;
    shown?;
    if let Err(reason) = &ended {
        show_stderr(&format!("{reason}\n"))?;
    }
    Ok(ended.is_ok_and(|passed| passed))
}

/// A file whose tests cannot start counts as one failed test.
async fn run_for_json(
    runtime: &Runtime,
    file: &Path,
    results: &mut Vec<TestResult>,
) -> anyhow::Result<bool> {
    let name = file.display().to_string();
    let mut tap = Tap::new(&name);
    let ended = run_one(runtime, file, TestReport::Tap, |line| tap.line(line)).await?;
    let (finished, rest) = tap.finish();
    let has_failure = finished
        .iter()
        .any(|result| result.outcome == Outcome::Failed);
    results.extend(finished);
    let reason = match ended {
        Ok(true) => return Ok(true),
        Ok(false) => rest.join("\n"),
        Err(reason) => reason,
    };
    if !has_failure {
        results.push(TestResult {
            name: name.clone(),
            file: name,
            outcome: Outcome::Failed,
            error: Some(reason),
        });
    }
    Ok(false)
}

/// Whether all tests passed, or the error that ended them.
async fn run_one(
    runtime: &Runtime,
    file: &Path,
    report: TestReport,
    line: impl FnMut(&str),
) -> anyhow::Result<Result<bool, String>> {
    let tree = match read_tree(file, ParsedModule::parse).await? {
        Ok(tree) => tree,
        Err(errors) => return Ok(Err(errors.join("\n"))),
    };
    let name = file.display().to_string();
    let spec = TestSpec {
        name: &name,
        tree: &tree,
        report,
    };
    Ok(match runtime.test(&spec, line).await {
        Ok(TestEnd::Passed) => Ok(true),
        Ok(TestEnd::Failed) => Ok(false),
        Ok(TestEnd::Killed(reason)) => Err(format!("{name}: the tests were killed: {reason}")),
        Err(error) => Err(load_error_lines(&name, error)?.join("\n")),
    })
}

fn show_summary(all: usize, failed: &[&PathBuf]) -> io::Result<()> {
    let passed = counted(all - failed.len(), "file");
    let mut text = format!("{} {passed}\n", styled(GOOD, "passed"));
    for file in failed {
        let _ = writeln!(text, "{} {}", styled(BAD, "failed"), file.display());
    }
    show_stderr(&text)
}
