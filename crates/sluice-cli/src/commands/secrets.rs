//! Values of secrets: given on the command line, in a file or in the environment, and never written anywhere.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::Args;

use super::yaml;

/// A file of secrets.
#[derive(Debug, Args)]
pub(crate) struct SecretsFile {
    /// YAML file with values of secrets, `NAME: value`
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

/// Where `apply` looks for secrets that files only name: in the file, then in the environment.
#[derive(Debug, Default)]
pub(crate) struct SecretValues {
    given: BTreeMap<String, String>,
}

impl SecretValues {
    pub(crate) fn new(given: BTreeMap<String, String>) -> SecretValues {
        SecretValues { given }
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.given
            .get(name)
            .cloned()
            .or_else(|| env::var(name).ok())
    }
}

/// What `--secret` gives: `NAME=value`, or `NAME` for the environment variable of that name.
pub(crate) fn from_flags(flags: &[String]) -> anyhow::Result<BTreeMap<String, String>> {
    let mut secrets = BTreeMap::new();
    for flag in flags {
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => match env::var(flag) {
                Ok(value) => (flag.as_str(), value),
                Err(_) => bail!(
                    "--secret {flag}: there is no environment variable {flag}; set it, or give --secret {flag}=value"
                ),
            },
        };
        secrets.insert(name.to_owned(), value);
    }
    Ok(secrets)
}
