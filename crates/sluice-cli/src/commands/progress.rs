//! A sign of life while something takes its time.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

const TICK: Duration = Duration::from_millis(100);

/// Shows what is going on as long as it does, where somebody can see it.
pub(crate) async fn during<T>(doing: &str, work: impl Future<Output = T>) -> T {
    if !io::stderr().is_terminal() {
        return work.await;
    }
    let style = ProgressStyle::with_template("{spinner} {msg}").expect("a good template");
    let spinner = ProgressBar::new_spinner().with_style(style);
    spinner.set_message(doing.to_owned());
    spinner.enable_steady_tick(TICK);
    let done = work.await;
    spinner.finish_and_clear();
    done
}
