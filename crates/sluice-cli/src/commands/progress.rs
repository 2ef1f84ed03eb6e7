//! A spinner for slow operations.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

const TICK: Duration = Duration::from_millis(100);

/// Shows a spinner while `work` runs, if standard error is a terminal.
pub(crate) async fn during<T>(message: &str, work: impl Future<Output = T>) -> T {
    if !io::stderr().is_terminal() {
        return work.await;
    }
    let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is valid");
    let spinner = ProgressBar::new_spinner().with_style(style);
    spinner.set_message(message.to_owned());
    spinner.enable_steady_tick(TICK);
    let done = work.await;
    spinner.finish_and_clear();
    done
}
