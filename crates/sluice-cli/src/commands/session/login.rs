//! `sluice login`

use std::io::{self, IsTerminal, Read};

use anyhow::bail;
use clap::Args;
use sluice_model::ApiKey;

use super::profile::{profile_name, save_profile};
use crate::{
    client::{Client, config::Config},
    commands::{
        ask,
        common::Common,
        prompt::{Question, hidden, required},
    },
};

const STANDARD_INPUT: &str = "-";
const EXAMPLES: &str = "\
Examples:
  sluice login
  sluice login --url https://sluice.example.com --profile work
  sluice login --api-key - < key.txt";

/// Save the URL of a server and an API key for later commands
///
/// The key comes from --api-key, from standard input (also with `--api-key -`), or from a prompt. It is verified, and saved in a
/// profile of the configuration file, which only you can read.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LoginOptions {
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn login(options: LoginOptions) -> anyhow::Result<()> {
    let Common { json, connection } = options.common;
    let config = Config::load()?;
    let url = connection.server_url()?;
    let key = match connection.api_key.as_deref() {
        None | Some("") if ask::is_interactive(json) => {
            let question = Question {
                message: format!("API key for {url}"),
                ..Question::default()
            };
            hidden(question, required()).await?
        }
        None | Some("" | STANDARD_INPUT) => from_standard_input()?,
        Some(key) => key.to_owned(),
    };
    let Some(key) = ApiKey::parse(key.trim()) else {
        bail!("not an API key: it has 32 characters, 0 to 9 and a to f");
    };
    let path = config.path().display().to_string();
    let client = Client::new(&url, key.as_str().to_owned())?;
    let profile = profile_name(&connection, &config);
    save_profile(&client, config, profile)
        .await?
        .show(json, &path)
}

fn from_standard_input() -> anyhow::Result<String> {
    let mut key = String::new();
    if !io::stdin().is_terminal() {
        io::stdin().read_to_string(&mut key)?;
    }
    if key.trim().is_empty() {
        bail!("no API key: set --api-key or SLUICE_API_KEY, or write the key to standard input");
    }
    Ok(key)
}
