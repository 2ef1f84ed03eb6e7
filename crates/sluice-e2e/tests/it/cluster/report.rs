//! The result of a test of faults: a row of the table that `make faults` prints.

use std::{env, fs::OpenOptions, io::Write};

use super::{commit_log::Violations, history::History, scale::by_scale};

/// The file of the table, with tabs between the columns.
const FILE: &str = "SLUICE_FAULTS_REPORT";
const COLUMNS: &str = "fault\tcount\tacknowledged\tlost\tdoubled\treordered\tmiscounted\tstale\tout of sequence\t\
                       takeover p50 (s)\tp99 (s)";

/// Beside other tests in a debug build a takeover takes longer.
fn max_takeover_ms() -> i64 {
    by_scale(30_000, 5_000)
}

pub(super) struct Report {
    pub(super) fault: &'static str,
    pub(super) count: usize,
    pub(super) history: History,
    pub(super) violations: Violations,
    /// In milliseconds.
    pub(super) takeovers: Vec<i64>,
}

impl Report {
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
        let p99 = self.takeover(99).unwrap_or_default();
        assert!(p99 < max_takeover_ms(), "{p99} ms: {:?}", self.takeovers);
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
        let counts = [
            &self.count,
            acknowledged,
            lost,
            doubled,
            reordered,
            miscounted,
            stale,
            out_of_sequence,
        ];
        let counts = counts.map(ToString::to_string).join("\t");
        let [p50, p99] = [50, 99].map(|percent| self.takeover_text(percent));
        format!("{}\t{counts}\t{p50}\t{p99}", self.fault)
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
