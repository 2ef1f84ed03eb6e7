//! The `sluice` binary under test.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::LazyLock,
};

const VARIABLE: &str = "SLUICE_BINARY";

/// The path of `sluice`: the value of `SLUICE_BINARY`, or else the binary in the target folder of the test executable.
/// A relative value starts at the root of the repository.
///
/// It is found at run time, so tests that use it are not rebuilt when it changes.
pub fn sluice_binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let binary = env::var_os(VARIABLE).map_or_else(in_target_folder, in_repository);
        assert!(
            binary.is_file(),
            "{} does not exist: build it with `cargo build --package sluice-cli`, \
             or set {VARIABLE} to the path of another binary",
            binary.display()
        );
        binary
    });
    &BINARY
}

fn in_repository(path: OsString) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// Cargo puts test executables into `deps`, a folder beside the binaries.
fn in_target_folder() -> PathBuf {
    let test = env::current_exe().expect("the path of the test executable is known");
    let profile = test.ancestors().nth(2).expect("it is two folders down");
    profile.join("sluice")
}
