//! The results of all programs: a table in Markdown for people, and JSON for programs.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::Context;
use serde::Serialize;

use super::{install::NODE, results::Results, rows::rows, table};

/// The results of one run.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    cores: usize,
    /// The version of Node that runs n8n and Node-RED.
    node: &'static str,
    programs: Vec<Results>,
    failures: Vec<Failure>,
}

/// A program that could not be installed or measured.
#[derive(Debug, Serialize)]
struct Failure {
    program: String,
    error: String,
}

impl Comparison {
    pub(crate) fn new() -> Self {
        Self {
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            node: NODE.version,
            programs: Vec::new(),
            failures: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, program: &str, results: anyhow::Result<Results>) {
        match results {
            Ok(results) => self.programs.push(results),
            Err(error) => {
                let error = format!("{error:#}");
                eprintln!("{program} failed");
                let program = program.to_owned();
                self.failures.push(Failure { program, error });
            }
        }
    }

    /// Whether every program was measured.
    pub(crate) fn is_complete(&self) -> bool {
        self.failures.is_empty()
    }

    /// The table, with the failures below it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if !self.programs.is_empty() {
            text.push_str(&table::render(&rows(&self.programs)));
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{} cores, Node {}", self.cores, self.node);
        for Failure { program, error } in &self.failures {
            let _ = writeln!(text, "\nFAILED  {program}: {error}");
        }
        text
    }

    pub(crate) fn write_json(&self, path: &Path) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_named_with_its_reason() {
        let mut comparison = Comparison::new();
        assert!(comparison.is_complete());
        comparison.add("n8n", Err(anyhow::anyhow!("no network")));
        assert!(!comparison.is_complete());
        assert!(comparison.text().contains("FAILED  n8n: no network"));
        assert!(!comparison.text().contains('|'), "there is no table");
    }
}
