//! The report: a table for people and JSON for programs.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use serde::Serialize;

/// The measurements of a section.
pub(crate) type SectionResult = anyhow::Result<Vec<Measurement>>;

/// One number, with its target if there is one.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measurement {
    section: char,
    /// The database of the server.
    database: &'static str,
    name: String,
    value: f64,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum Target {
    AtLeast(f64),
    AtMost(f64),
}

impl Measurement {
    pub(crate) fn new(section: char, name: &str, value: f64, unit: &'static str) -> Self {
        Self {
            section,
            database: "",
            name: name.to_owned(),
            value,
            unit,
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
#[derive(Debug, Serialize)]
struct Failure {
    section: String,
    error: String,
}

/// The results of one run of the program.
#[derive(Debug, Default, Serialize)]
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
                let on_database = measured.map(|row| Measurement { database, ..row });
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
