//! Values of secrets from flags, a file or the environment. They are never written to disk.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::Args;

use super::yaml;

/// The `--secrets-file` option.
#[derive(Debug, Args)]
pub(crate) struct SecretsFile {
    /// YAML file with the values of secrets, `NAME: value`
    #[arg(long, value_name = "FILE")]
    secrets_file: Option<PathBuf>,
}

impl SecretsFile {
    pub(crate) fn read(&self) -> anyhow::Result<BTreeMap<String, String>> {
        match &self.secrets_file {
            Some(path) => read(path),
            None => Ok(BTreeMap::new()),
        }
    }
}

fn read(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    yaml::from_text(path, &text)
}

/// The values of secrets for `apply`: from the file, then from the environment.
#[derive(Debug, Default)]
pub(crate) struct SecretValues {
    values: BTreeMap<String, String>,
}

impl SecretValues {
    pub(crate) fn new(values: BTreeMap<String, String>) -> SecretValues {
        SecretValues { values }
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.values
            .get(name)
            .cloned()
            .or_else(|| env::var(name).ok())
    }
}

/// Parses `--secret`: `NAME=value`, or `NAME` for the environment variable of that name.
pub(crate) fn from_flags(flags: &[String]) -> anyhow::Result<BTreeMap<String, String>> {
    let mut secrets = BTreeMap::new();
    for flag in flags {
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => match env::var(flag) {
                Ok(value) => (flag.as_str(), value),
                Err(_) => bail!(
                    "--secret {flag}: the environment variable {flag} is not set: set it, or use --secret {flag}=value"
                ),
            },
        };
        secrets.insert(name.to_owned(), value);
    }
    Ok(secrets)
}
