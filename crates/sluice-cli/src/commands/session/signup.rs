//! `sluice signup`

use anyhow::{anyhow, bail};
use clap::Args;
use sluice_api::{SignUp, SignedUp};

use super::profile::{profile_name, save_profile};
use crate::{
    client::{Client, config::Config},
    commands::{
        ask,
        common::Common,
        prompt::{Question, required, text},
    },
};

const EXAMPLES: &str = "\
Examples:
  sluice signup --url https://sluice.example.com
  sluice signup --username ada --email ada@example.com --profile work";

/// Create an account on a server that allows signup
///
/// The command asks for missing values, and saves the new API key in a profile as `sluice login` does.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SignupOptions {
    /// Name of the user
    #[arg(long, value_name = "NAME")]
    username: Option<String>,
    /// Email address of the user
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn signup(options: SignupOptions) -> anyhow::Result<()> {
    let Common { json, connection } = options.common;
    let config = Config::load()?;
    let url = connection.server_url()?;
    let profile = profile_name(&connection, &config);
    if let Some(taken) = config.profiles().get(&profile) {
        // The profile may have the only copy of its key.
        bail!(
            "profile {profile} already has a key for {}: choose another one with --profile, or run `sluice logout` first",
            taken.url
        );
    }
    let body = SignUp {
        username: Some(value_or_prompt(options.username, json, "username", "Username").await?),
        email: Some(value_or_prompt(options.email, json, "email", "Email address").await?),
    };
    let anonymous = Client::new(&url, String::new())?;
    let created: SignedUp = anonymous.post("/signup", &body).await.map_err(|error| {
        if error.is_not_found() {
            return anyhow!(
                "the server at {url} does not allow signup: ask its operator for an account \
                 (`sluice users create`, or `sluice serve --allow-signup`)"
            );
        }
        error.into()
    })?;
    let path = config.path().display().to_string();
    let client = Client::new(&url, created.api_key)?;
    save_profile(&client, config, profile)
        .await?
        .show(json, &path)
}

async fn value_or_prompt(
    value: Option<String>,
    json: bool,
    flag: &str,
    message: &str,
) -> anyhow::Result<String> {
    match value {
        Some(value) => Ok(value),
        None if ask::is_interactive(json) => {
            let question = Question {
                message: message.to_owned(),
                ..Question::default()
            };
            text(question, required()).await
        }
        None => bail!("--{flag} is required without a terminal"),
    }
}
