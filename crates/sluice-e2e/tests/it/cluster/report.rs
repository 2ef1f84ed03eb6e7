//! The result of a test of faults: a row of the table that `make faults` prints.

use std::{env, fs::OpenOptions, io::Write, time::Duration};

use super::{commit_log::Violations, history::History, scale::by_scale};

/// The file of the table, with tabs between the columns.
const FILE: &str = "SLUICE_FAULTS_REPORT";
const COLUMNS: &str = "fault\tcount\tacknowledged\tfailed\tlost\tdoubled\treordered\tmiscounted\tstale\tout of sequence\t\
                       takeover p50 (s)\tp99 (s)";

const MAX_TAKEOVER: Duration = Duration::from_secs(5);

/// Beside other tests and in a debug build everything takes longer.
fn slowness() -> u32 {
    by_scale(6, 1)
}

pub(super) struct Report {
    fault: &'static str,
    count: usize,
    history: History,
    violations: Violations,
    /// Requests that were not acknowledged, if clients send each only once.
    pub(super) failed: Option<usize>,
    /// In milliseconds.
    pub(super) takeovers: Vec<i64>,
    pub(super) max_takeover: Duration,
}

impl Report {
    pub(super) fn new(
        fault: &'static str,
        count: usize,
        history: History,
        violations: Violations,
    ) -> Report {
        Report {
            fault,
            count,
            history,
            violations,
            failed: None,
            takeovers: Vec::new(),
            max_takeover: MAX_TAKEOVER,
        }
    }

    /// Adds it to the table, and asserts that nothing is wrong.
    pub(super) fn conclude(mut self) {
        self.takeovers.sort_unstable();
        let row = self.row();
        eprintln!("{COLUMNS}\n{row}");
        if let Some(file) = env::var_os(FILE) {
            let file = OpenOptions::new().create(true).append(true).open(file);
            let mut file = file.expect("the table can be written");
            if file.metadata().expect("a file").len() == 0 {
                writeln!(file, "{COLUMNS}").expect("room for the table");
            }
            writeln!(file, "{row}").expect("room for the table");
        }
        let right = History {
            acknowledged: self.history.acknowledged,
            ..History::default()
        };
        assert_eq!(self.history, right);
        assert_eq!(self.violations, Violations::default());
        assert!(self.history.acknowledged > 20, "hardly any load");
        assert_eq!(self.failed.unwrap_or_default(), 0, "requests failed");
        let max = self.max_takeover * slowness();
        let p99 = self.takeover(99).unwrap_or_default();
        assert!(
            i128::from(p99) < max.as_millis().cast_signed(),
            "{:?}",
            self.takeovers
        );
    }

    fn row(&self) -> String {
        let History {
            acknowledged,
            lost,
            doubled,
            reordered,
            miscounted,
        } = &self.history;
        let Violations {
            stale,
            out_of_sequence,
        } = &self.violations;
        let failed = self
            .failed
            .map_or("-".to_owned(), |failed| failed.to_string());
        let counts = [lost, doubled, reordered, miscounted, stale, out_of_sequence];
        let counts = counts.map(ToString::to_string).join("\t");
        let [p50, p99] = [50, 99].map(|percent| self.takeover_text(percent));
        let Report { fault, count, .. } = self;
        format!("{fault}\t{count}\t{acknowledged}\t{failed}\t{counts}\t{p50}\t{p99}")
    }

    fn takeover_text(&self, percent: usize) -> String {
        let takeover = self.takeover(percent);
        takeover.map_or("-".to_owned(), |ms| {
            format!("{}.{:03}", ms / 1_000, ms % 1_000)
        })
    }

    /// A percentile of the takeovers, which are sorted.
    fn takeover(&self, percent: usize) -> Option<i64> {
        let rank = (self.takeovers.len() * percent).div_ceil(100);
        self.takeovers.get(rank.checked_sub(1)?).copied()
    }
}
