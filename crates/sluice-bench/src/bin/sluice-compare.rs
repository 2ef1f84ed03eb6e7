//! `make compare`.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    sluice_bench::compare()
}
