//! `sluice login`

use std::io::{self, IsTerminal, Read};

use anyhow::bail;
use clap::Args;
use sluice_model::ApiKey;

use super::{keep, profile_name};
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

/// Keep the address of a server and an API key for the commands that follow
///
/// The key is that of --api-key, comes on standard input (also with `--api-key -`), or is asked for. It is tried, and
/// kept in a profile of the configuration file, which only you can read.
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
        None | Some("") if ask::is_possible(json) => {
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
        bail!("this is no API key: one has 32 characters, 0 to 9 and a to f");
    };
    let path = config.path().display().to_string();
    let client = Client::new(&url, key.as_str().to_owned())?;
    let profile = profile_name(&connection, &config);
    keep(&client, config, profile).await?.tell(json, &path)
}

fn from_standard_input() -> anyhow::Result<String> {
    let mut key = String::new();
    if !io::stdin().is_terminal() {
        io::stdin().read_to_string(&mut key)?;
    }
    if key.trim().is_empty() {
        bail!("no API key: give --api-key, set SLUICE_API_KEY, or write the key to standard input");
    }
    Ok(key)
}
