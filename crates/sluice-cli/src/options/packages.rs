//! Limits of the npm packages of components.

use std::time::Duration;

use bytesize::ByteSize;
use clap::Args;
use sluice_runtime::{PackageLimits, PackageSettings};

#[derive(Args)]
#[command(next_help_heading = "Packages")]
pub(crate) struct PackageOptions {
    /// Maximum time for fetching the npm packages of a component
    #[arg(long, env = "SLUICE_PACKAGE_TIMEOUT", default_value = "5m", value_parser = humantime::parse_duration, value_name = "TIME")]
    package_timeout: Duration,
    /// Maximum total size of the npm packages of a component, unpacked
    #[arg(
        long,
        env = "SLUICE_MAX_PACKAGE_SIZE",
        default_value = "512MiB",
        value_name = "SIZE"
    )]
    max_package_size: ByteSize,
    /// Maximum number of files and folders in the npm packages of a component
    #[arg(
        long,
        env = "SLUICE_MAX_PACKAGE_FILES",
        default_value_t = 200_000,
        value_name = "COUNT"
    )]
    max_package_files: u64,
    /// Maximum depth of folders in the npm packages of a component, including `node_modules`
    #[arg(
        long,
        env = "SLUICE_MAX_PACKAGE_DEPTH",
        default_value_t = 64,
        value_name = "COUNT"
    )]
    max_package_depth: usize,
}

impl PackageOptions {
    pub(crate) fn settings(&self, installs_per_user: usize) -> PackageSettings {
        PackageSettings {
            timeout: self.package_timeout,
            limits: PackageLimits {
                bytes: self.max_package_size.as_u64(),
                files: self.max_package_files,
                depth: self.max_package_depth,
            },
            installs_per_user,
        }
    }
}
