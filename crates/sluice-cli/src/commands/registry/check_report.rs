//! The result of a check.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use serde::Serialize;
use sluice_api::{AppFieldUse, CheckedApp, ComponentField, ImportOutcome, ImportedComponent};
use sluice_model::FailureReason;

use super::report::{broken_line, grouped};
use crate::commands::output::{BAD, FAINT, GOOD, show, show_json, styled};

#[derive(Debug, Default, Serialize)]
pub(super) struct CheckReport {
    /// The number of components without errors.
    sound: usize,
    broken: usize,
    /// The number of broken components, by reason.
    reasons: BTreeMap<FailureReason, usize>,
    components: Vec<ImportedComponent>,
    pub(super) apps: Vec<CheckedApp>,
    /// Whether the components were loaded with their packages.
    loaded: bool,
    seconds: f64,
}

impl CheckReport {
    pub(super) fn new(loaded: bool) -> CheckReport {
        CheckReport {
            loaded,
            ..CheckReport::default()
        }
    }

    pub(super) fn add(&mut self, components: Vec<ImportedComponent>) {
        for component in components {
            if component.outcome == ImportOutcome::Failed {
                self.broken += 1;
            } else {
                self.sound += 1;
            }
            if let Some(reason) = component.reason {
                *self.reasons.entry(reason).or_default() += 1;
            }
            self.components.push(component);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Whether nothing needs a change.
    pub(super) fn is_sound(&self) -> bool {
        !self.is_empty() && self.broken == 0 && self.unregistered().next().is_none()
    }

    pub(super) fn show(&mut self, took: Duration, json: bool, quiet: bool) -> anyhow::Result<()> {
        self.seconds = took.as_secs_f64();
        self.components.sort_by(|a, b| a.path.cmp(&b.path));
        if json {
            return show_json(self);
        }
        Ok(show(&self.text(quiet))?)
    }

    /// The fields that code reads and accounts cannot have, by app.
    fn unregistered(&self) -> impl Iterator<Item = (&str, &AppFieldUse)> {
        let apps = self.apps.iter();
        let fields = apps.flat_map(|app| app.fields.iter().map(|field| (&*app.name_slug, field)));
        fields.filter(|(_, field)| !field.registered)
    }

    fn text(&self, quiet: bool) -> String {
        let mut text = String::new();
        for component in &self.components {
            if component.outcome == ImportOutcome::Failed {
                let _ = writeln!(text, "{}", broken_line(component));
            } else if !quiet {
                let _ = writeln!(text, "{}", sound_line(component));
            }
        }
        for (app, field) in self.unregistered() {
            let name = &field.name;
            let line = format!(
                "{}: code reads {name}, and accounts of this app do not have it: add it with `sluice apps add {app} --field {name}`",
                styled(BAD, app)
            );
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "{}", self.totals());
        for (reason, count) in &self.reasons {
            let _ = writeln!(text, "  {:>6}  {}", grouped(*count), reason_text(*reason));
        }
        text
    }

    fn totals(&self) -> String {
        let can = if self.loaded {
            "can be imported and load"
        } else {
            "can be imported"
        };
        let broken = format!("broken {}", grouped(self.broken));
        format!(
            "{}, {} in {:.1} s",
            styled(GOOD, &format!("{} components {can}", grouped(self.sound))),
            if self.broken > 0 {
                styled(BAD, &broken)
            } else {
                broken
            },
            self.seconds
        )
    }
}

fn reason_text(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::Code => "have a syntax error, or a file is missing",
        FailureReason::Definition => "are no valid components",
        FailureReason::Key => "have no valid key or version, or share a key",
        FailureReason::Packages => "need packages that cannot be installed",
        FailureReason::Load => "fail when they are loaded with their packages",
    }
}

/// The path, key and version of a component, then its packages and the account fields that it reads.
fn sound_line(component: &ImportedComponent) -> String {
    let key = component.key.as_deref().unwrap_or_default();
    let version = component.version.as_deref().unwrap_or_default();
    let mut line = format!("{} {key} {version}", styled(GOOD, &component.path));
    let mut notes = component.packages.clone();
    notes.extend(component.fields.iter().map(field_text));
    if !notes.is_empty() {
        let _ = write!(line, " {}", styled(FAINT, &notes.join(" ")));
    }
    line
}

/// `slack.token`, with a question mark if the code works without it.
fn field_text(field: &ComponentField) -> String {
    let mark = if field.optional { "?" } else { "" };
    format!("{}.{}{mark}", field.app, field.name)
}
