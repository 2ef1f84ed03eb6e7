//! Running files of tests, one after the other.

use std::{
    fmt::Write,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::json;
use sluice_runtime::{Runtime, TestEnd, TestReport, TestSpec};

use super::{
    faults,
    tap::{Outcome, Tap, TestResult},
};
use crate::commands::{
    code::read_javascript,
    output::{BAD, GOOD, complain, counted, show, show_json, styled},
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
            run_for_program(runtime, file, &mut results).await?
        } else {
            run_for_people(runtime, file).await?
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
        tell(files.len(), &failed)?;
    }
    Ok(if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn run_for_people(runtime: &Runtime, file: &Path) -> anyhow::Result<bool> {
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
        complain(&format!("{reason}\n"))?;
    }
    Ok(ended.is_ok_and(|passed| passed))
}

/// What did not even begin is a test that failed, so that programs need look at one place only.
async fn run_for_program(
    runtime: &Runtime,
    file: &Path,
    results: &mut Vec<TestResult>,
) -> anyhow::Result<bool> {
    let shown = file.display().to_string();
    let mut tap = Tap::new(&shown);
    let ended = run_one(runtime, file, TestReport::Tap, |line| tap.line(line)).await?;
    let (told, rest) = tap.finish();
    let has_failure = told.iter().any(|result| result.outcome == Outcome::Failed);
    results.extend(told);
    let reason = match ended {
        Ok(true) => return Ok(true),
        Ok(false) => rest.join("\n"),
        Err(reason) => reason,
    };
    if !has_failure {
        results.push(TestResult {
            name: shown.clone(),
            file: shown,
            outcome: Outcome::Failed,
            error: Some(reason),
        });
    }
    Ok(false)
}

/// Whether all tests passed, or why they could not run to their end.
async fn run_one(
    runtime: &Runtime,
    file: &Path,
    report: TestReport,
    line: impl FnMut(&str),
) -> anyhow::Result<Result<bool, String>> {
    let module = match read_javascript(file).await? {
        Ok(module) => module,
        Err(faults) => return Ok(Err(faults.join("\n"))),
    };
    let name = file.display().to_string();
    let spec = TestSpec {
        name: &name,
        code: &module.tested(),
        report,
    };
    Ok(match runtime.test(&spec, line).await {
        Ok(TestEnd::Passed) => Ok(true),
        Ok(TestEnd::Failed) => Ok(false),
        Ok(TestEnd::Killed(reason)) => Err(format!("{name}: the tests were ended: {reason}")),
        Err(error) => Err(faults::told(&name, error)?.join("\n")),
    })
}

fn tell(all: usize, failed: &[&PathBuf]) -> io::Result<()> {
    let passed = counted(all - failed.len(), "file");
    let mut text = format!("{} {passed}\n", styled(GOOD, "passed"));
    for file in failed {
        let _ = writeln!(text, "{} {}", styled(BAD, "failed"), file.display());
    }
    complain(&text)
}
