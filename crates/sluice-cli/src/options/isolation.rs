//! The values of `--isolation`.

use clap::ValueEnum;
use sluice_runtime::Isolation;

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum IsolationOption {
    Process,
    Component,
    Account,
}

impl From<IsolationOption> for Isolation {
    fn from(option: IsolationOption) -> Isolation {
        match option {
            IsolationOption::Process => Isolation::Process,
            IsolationOption::Component => Isolation::Component,
            IsolationOption::Account => Isolation::Account,
        }
    }
}
