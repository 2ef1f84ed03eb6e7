//! The report: a table for people and JSON for programs.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// The measurements of a section.
pub(crate) type SectionResult = anyhow::Result<Vec<Measurement>>;

/// One number, with its target if there is one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Measurement {
    section: char,
    /// The database of the server.
    database: String,
    name: String,
    value: f64,
    unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Target {
    AtLeast(f64),
    AtMost(f64),
}

impl Measurement {
    pub(crate) fn new(section: char, name: &str, value: f64, unit: &'static str) -> Self {
        Self {
            section,
            database: String::new(),
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            target: None,
        }
    }

    pub(crate) fn at_least(mut self, value: f64) -> Self {
        self.target = Some(Target::AtLeast(value));
        self
    }

    pub(crate) fn at_most(mut self, value: f64) -> Self {
        self.target = Some(Target::AtMost(value));
        self
    }

    fn is_good(&self) -> bool {
        match self.target {
            None => true,
            Some(Target::AtLeast(least)) => self.value >= least,
            Some(Target::AtMost(most)) => self.value <= most,
        }
    }

    fn change(&self, before: Option<f64>, after: Option<f64>) -> String {
        let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
        let change = match (before, after) {
            (Some(before), Some(after)) if before != 0.0 => {
                format!("{:+.1} %", (after / before - 1.0) * 100.0)
            }
            _ => String::new(),
        };
        let Measurement {
            section,
            database,
            name,
            unit,
            ..
        } = self;
        let row = format!(
            "{section}  {database:<8} {name:<40} {:>12} {:>12} {unit:<12} {change:>9}",
            cell(before),
            cell(after)
        );
        row.trim_end().to_owned()
    }

    fn verdict(&self) -> String {
        let met = if self.is_good() { "met" } else { "MISSED" };
        match self.target {
            None => String::new(),
            Some(Target::AtLeast(least)) => format!("{met}: at least {}", number(least)),
            Some(Target::AtMost(most)) => format!("{met}: at most {}", number(most)),
        }
    }
}

/// A section that could not be measured.
#[derive(Debug, Serialize, Deserialize)]
struct Failure {
    section: String,
    error: String,
}

/// The results of one run of the program.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    measurements: Vec<Measurement>,
    failures: Vec<Failure>,
}

impl Report {
    /// Runs a section on a database and adds its measurements. The section is a task of the caller's `LocalSet`, so that a panic fails only
    /// this section.
    pub(crate) async fn add(
        &mut self,
        database: &'static str,
        section: &str,
        run: impl Future<Output = SectionResult> + 'static,
    ) {
        let error = match tokio::task::spawn_local(run).await {
            Ok(Ok(measurements)) => {
                let measured = measurements.into_iter();
                let on_database = measured.map(|row| Measurement {
                    database: database.to_owned(),
                    ..row
                });
                return self.measurements.extend(on_database);
            }
            Ok(Err(error)) => format!("{error:#}"),
            Err(panic) => panic.to_string(),
        };
        self.failures.push(Failure {
            section: format!("{section}, {database}"),
            error,
        });
    }

    /// Adds the ratio of a measurement on PostgreSQL to the same one on SQLite, if there are both.
    pub(crate) fn add_database_ratio(&mut self, name: &str, at_least: f64) {
        let on = |database: &str| {
            let mut rows = self.measurements.iter();
            rows.find(|row| row.name == name && row.database == database)
                .map(|row| (row.section, row.value))
        };
        if let (Some((section, sqlite)), Some((_, postgres))) = (on("sqlite"), on("postgres")) {
            let name = format!("{name}, postgres/sqlite");
            let ratio = Measurement::new(section, &name, postgres / sqlite, "");
            self.measurements.push(ratio.at_least(at_least));
        }
    }

    pub(crate) fn read_json(path: &Path) -> anyhow::Result<Report> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no report", path.display()))
    }

    pub(crate) fn print_changes(&self, later: &Report) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let mut lines = self.changes(later).into_iter();
        lines.try_for_each(|line| writeln!(out, "{line}"))
    }

    /// The measurements of this report and of a later one side by side, as lines of text.
    fn changes(&self, later: &Report) -> Vec<String> {
        let same = |one: &Measurement, other: &Measurement| {
            (one.section, &one.database, &one.name) == (other.section, &other.database, &other.name)
        };
        let find = |report: &Report, row: &Measurement| {
            let mut rows = report.measurements.iter();
            rows.find(|other| same(other, row)).map(|row| row.value)
        };
        let gone = self.measurements.iter();
        let gone = gone.filter(|row| find(later, row).is_none());
        later
            .measurements
            .iter()
            .chain(gone)
            .map(|row| row.change(find(self, row), find(later, row)))
            .collect()
    }

    /// Whether every section ran and every target was met.
    pub(crate) fn is_good(&self) -> bool {
        self.failures.is_empty() && self.measurements.iter().all(Measurement::is_good)
    }

    pub(crate) fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out)?;
        for measurement in &self.measurements {
            let Measurement {
                section,
                database,
                name,
                value,
                unit,
                target: _,
            } = measurement;
            let row = format!(
                "{section}  {database:<8} {name:<40} {:>12} {unit:<12} {}",
                number(*value),
                measurement.verdict()
            );
            writeln!(out, "{}", row.trim_end())?;
        }
        for Failure { section, error } in &self.failures {
            writeln!(out, "FAILED  {section}: {error}")?;
        }
        Ok(())
    }

    pub(crate) fn write_json(&self, path: &Path) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        fs::write(path, text)?;
        Ok(())
    }
}

/// The median. Zero without values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => 0.0,
        length if length % 2 == 1 => values[half],
        _ => f64::midpoint(values[half - 1], values[half]),
    }
}

/// The quantile by nearest rank: 500 thousandths are the median. Zero without values.
pub(crate) fn quantile(values: &mut [f64], thousandths: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * thousandths).div_ceil(1000).max(1);
    values.get(rank - 1).copied().unwrap_or(0.0)
}

/// A count as a float.
pub(crate) fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

pub(crate) fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1000).unwrap_or(u32::MAX)) / 1000.0
}

/// Formats a number with its significant digits.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quantiles() {
        assert_eq!(number(median([3.0, 1.0, 2.0])), "2");
        assert_eq!(number(median([4.0, 1.0])), "2.5");
        assert_eq!(number(median([])), "0");
        let mut values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(number(quantile(&mut values, 500)), "100");
        assert_eq!(number(quantile(&mut values, 990)), "198");
        assert_eq!(number(quantile(&mut values, 1000)), "200");
        assert_eq!(number(quantile(&mut [], 500)), "0");
    }

    #[test]
    fn two_reports_are_compared_by_name() {
        let report = |rows: &[(&str, f64)]| {
            let rows = rows.iter();
            Report {
                measurements: rows
                    .map(|(name, value)| Measurement::new('a', name, *value, "ms"))
                    .collect(),
                failures: Vec::new(),
            }
        };
        let before = report(&[("p50", 2.0), ("gone", 1.0)]);
        let after = report(&[("p50", 1.0), ("new", 3.0)]);
        let lines: Vec<Vec<String>> = before
            .changes(&after)
            .iter()
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect();
        assert_eq!(lines[0], ["a", "p50", "2", "1", "ms", "-50.0", "%"]);
        assert_eq!(lines[1], ["a", "new", "-", "3", "ms"]);
        assert_eq!(lines[2], ["a", "gone", "1", "-", "ms"]);
    }

    #[test]
    fn the_ratio_of_databases_needs_both() {
        let mut report = Report::default();
        report.add_database_ratio("events", 0.6);
        assert!(report.measurements.is_empty());
        for (database, value) in [("sqlite", 10.0), ("postgres", 5.0)] {
            report.measurements.push(Measurement {
                database: database.to_owned(),
                ..Measurement::new('a', "events", value, "per second")
            });
        }
        report.add_database_ratio("events", 0.6);
        assert!(!report.is_good());
    }

    #[test]
    fn a_missed_target_makes_the_report_bad() {
        let mut report = Report::default();
        report
            .measurements
            .push(Measurement::new('a', "ratio", 0.2, "").at_least(0.12));
        assert!(report.is_good());
        report
            .measurements
            .push(Measurement::new('d', "memory", 301.0, "MB").at_most(300.0));
        assert!(!report.is_good());
    }
}
