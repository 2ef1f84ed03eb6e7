//! The progress of an import: a bar on a terminal, lines otherwise.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::commands::output::show_stderr;

const BAR: &str = "{bar:40} {human_pos} of {human_len} components, {eta} left";

pub(super) enum Progress {
    Bar(ProgressBar),
    Lines { done: usize, total: usize },
    Silent,
}

impl Progress {
    pub(super) fn new(total: usize, silent: bool) -> Progress {
        if silent || total == 0 {
            return Progress::Silent;
        }
        if !io::stderr().is_terminal() {
            return Progress::Lines { done: 0, total };
        }
        let style = ProgressStyle::with_template(BAR).expect("the template is valid");
        let bar = ProgressBar::new(total as u64).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress::Bar(bar)
    }

    pub(super) fn advance(&mut self, components: usize) -> io::Result<()> {
        match self {
            Progress::Bar(bar) => bar.inc(components as u64),
            Progress::Lines { done, total } => {
                *done += components;
                show_stderr(&format!("{done} of {total} components\n"))?;
            }
            Progress::Silent => {}
        }
        Ok(())
    }

    pub(super) fn finish(self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
