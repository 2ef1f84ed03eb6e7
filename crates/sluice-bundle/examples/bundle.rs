//! Prints the bundle of a component: `cargo run -p sluice-bundle --example bundle -- path/to/component.mjs`.

use std::{env, io::Write as _, path::PathBuf, process::ExitCode};

use sluice_bundle::{BundleOptions, LocalFiles, bundle};

#[tokio::main]
async fn main() -> ExitCode {
    let entry = PathBuf::from(env::args_os().nth(1).expect("the path of a component"));
    let (files, entry) = LocalFiles::around(&entry).expect("the component exists");
    match bundle(&entry, files, BundleOptions::default()).await {
        Ok(bundle) => {
            std::io::stdout()
                .write_all(bundle.code.as_bytes())
                .expect("standard output is open");
            ExitCode::SUCCESS
        }
        Err(faults) => {
            for fault in faults {
                eprintln!("{fault}");
            }
            ExitCode::FAILURE
        }
    }
}
