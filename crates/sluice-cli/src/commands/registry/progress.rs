//! The progress of an import: a bar on a terminal, lines otherwise.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use sluice_api::ImportProgress;

use crate::commands::output::show_stderr;

const BAR: &str = "{bar:40} {human_pos} of {human_len} components, {eta} left";

pub(super) struct ProgressDisplay {
    silent: bool,
    state: State,
}

enum State {
    /// The total is not known yet, or nothing is shown.
    Hidden,
    Bar(ProgressBar),
    Lines {
        done: usize,
        total: usize,
    },
}

impl ProgressDisplay {
    pub(super) fn new(silent: bool) -> ProgressDisplay {
        ProgressDisplay {
            silent,
            state: State::Hidden,
        }
    }

    pub(super) fn advance(&mut self, step: &ImportProgress) -> io::Result<()> {
        match step {
            ImportProgress::Begun { total, .. } => self.begin(*total),
            ImportProgress::Components { components } => self.add(components.len())?,
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, total: usize) {
        if self.silent || total == 0 {
            return;
        }
        if !io::stderr().is_terminal() {
            self.state = State::Lines { done: 0, total };
            return;
        }
        let style = ProgressStyle::with_template(BAR).expect("the template is valid");
        let bar = ProgressBar::new(total as u64).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        self.state = State::Bar(bar);
    }

    fn add(&mut self, components: usize) -> io::Result<()> {
        match &mut self.state {
            State::Bar(bar) => bar.inc(components as u64),
            State::Lines { done, total } => {
                *done += components;
                show_stderr(&format!("{done} of {total} components\n"))?;
            }
            State::Hidden => {}
        }
        Ok(())
    }

    pub(super) fn finish(self) {
        if let State::Bar(bar) = self.state {
            bar.finish_and_clear();
        }
    }
}
