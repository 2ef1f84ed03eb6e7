//! The result of an import.

use std::{fmt::Write as _, time::Duration};

use serde::Serialize;
use sluice_api::{ImportOutcome, ImportedComponent, RemovedFile};

use crate::commands::output::{BAD, CHANGED, FAINT, GOOD, show, show_json, styled};

#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    /// Missing for a dry run, and if nothing has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) import_id: Option<String>,
    registered: usize,
    updated: usize,
    unchanged: usize,
    broken: usize,
    /// The number of files that are not components.
    pub(super) passed_over: usize,
    pub(super) left: Vec<RemovedFile>,
    components: Vec<ImportedComponent>,
    seconds: f64,
    dry_run: bool,
}

impl Report {
    pub(super) fn new(dry_run: bool) -> Report {
        Report {
            dry_run,
            ..Report::default()
        }
    }

    pub(super) fn add(&mut self, components: Vec<ImportedComponent>) {
        for component in components {
            match component.outcome {
                ImportOutcome::Registered => self.registered += 1,
                ImportOutcome::Updated => self.updated += 1,
                ImportOutcome::Unchanged => self.unchanged += 1,
                ImportOutcome::Failed => self.broken += 1,
            }
            self.components.push(component);
        }
    }

    pub(super) fn has_broken(&self) -> bool {
        self.broken > 0
    }

    pub(super) fn is_all_broken(&self) -> bool {
        self.registered + self.updated + self.unchanged == 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    pub(super) fn show(&mut self, took: Duration, json: bool) -> anyhow::Result<()> {
        self.seconds = took.as_secs_f64();
        self.components.sort_by(|a, b| a.path.cmp(&b.path));
        if json {
            return show_json(self);
        }
        Ok(show(&self.text())?)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for component in &self.components {
            if !component.errors.is_empty() {
                let _ = writeln!(text, "{}", broken_line(component));
            }
        }
        for RemovedFile { path, key, pruned } in &self.left {
            let (key, note) = match (key, pruned) {
                (None, _) => continue,
                (Some(key), true) => (
                    key,
                    "is no longer in the tree and was removed from the registry",
                ),
                (Some(key), false) => (
                    key,
                    "is no longer in the tree: remove it from the registry with --prune",
                ),
            };
            let _ = writeln!(text, "{} {key} {note}", styled(CHANGED, path));
        }
        if self.passed_over > 0 {
            let count = grouped(self.passed_over);
            let line = format!("skipped {count} files that are not components");
            let _ = writeln!(text, "{}", styled(FAINT, &line));
        }
        let done = if self.dry_run {
            "would register"
        } else {
            "registered"
        };
        let broken = format!("broken {}", grouped(self.broken));
        let _ = writeln!(
            text,
            "{}, updated {}, unchanged {}, {} in {:.1} s",
            styled(GOOD, &format!("{done} {}", grouped(self.registered))),
            grouped(self.updated),
            grouped(self.unchanged),
            if self.broken > 0 {
                styled(BAD, &broken)
            } else {
                broken
            },
            self.seconds,
        );
        if let Some(id) = &self.import_id {
            let line = format!("undo with `sluice registry undo {id}`");
            let _ = writeln!(text, "{}", styled(FAINT, &line));
        }
        text
    }
}

/// All errors of a component in one line, which begins with its path. Only the first own error repeats no path.
pub(super) fn broken_line(component: &ImportedComponent) -> String {
    let path = component.path.as_str();
    let located: Vec<String> = component
        .errors
        .iter()
        .map(|error| error.located(path))
        .collect();
    let line = located.join("; ");
    let first = component.errors.first();
    if first.is_some_and(|error| error.file.is_none()) {
        format!("{}{}", styled(BAD, path), &line[path.len()..])
    } else {
        format!("{}: {line}", styled(BAD, path))
    }
}

/// `1900` as `1,900`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use sluice_model::CodeError;

    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1900), "1,900");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn each_location_is_shown_once() {
        let plain = |errors: Vec<CodeError>| {
            let component = ImportedComponent {
                path: "a.mjs".to_owned(),
                outcome: ImportOutcome::Failed,
                key: None,
                version: None,
                reason: None,
                errors,
                kind: None,
                app: None,
                packages: Vec::new(),
                fields: Vec::new(),
            };
            anstream::adapter::strip_str(&broken_line(&component)).to_string()
        };
        let at = |file: Option<&str>| CodeError {
            file: file.map(str::to_owned),
            line: Some(1),
            column: Some(2),
            ..CodeError::without_position("no")
        };
        assert_eq!(plain(vec![at(None)]), "a.mjs:1:2: no");
        assert_eq!(plain(vec![at(Some("b.mjs"))]), "a.mjs: b.mjs:1:2: no");
        let no = CodeError::without_position("no");
        assert_eq!(plain(vec![no, at(None)]), "a.mjs: no; a.mjs:1:2: no");
    }
}
