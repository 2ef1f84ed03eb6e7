//! `sluice signup`

use anyhow::{anyhow, bail};
use clap::Args;
use sluice_api::{SignUp, SignedUp};

use super::{keep, profile_name};
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

/// Make an account for yourself, on a server that lets people
///
/// Asks for what is not given, and keeps the new key in a profile as `sluice login` does.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SignupOptions {
    /// What to be called
    #[arg(long, value_name = "NAME")]
    username: Option<String>,
    /// Where mail reaches you
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
        // Its key may be written nowhere else.
        bail!(
            "profile {profile} has a key for {} already: give another name with --profile, or `sluice logout` first",
            taken.url
        );
    }
    let body = SignUp {
        username: Some(given(options.username, json, "username", "Username").await?),
        email: Some(given(options.email, json, "email", "Email address").await?),
    };
    let nobody = Client::new(&url, String::new())?;
    let made: SignedUp = nobody.post("/signup", &body).await.map_err(|error| {
        if error.is_not_found() {
            return anyhow!(
                "the server at {url} does not let people make accounts: ask whoever runs it for one \
                 (`sluice users create`, or `sluice serve --allow-signup`)"
            );
        }
        error.into()
    })?;
    let path = config.path().display().to_string();
    let client = Client::new(&url, made.api_key)?;
    keep(&client, config, profile).await?.tell(json, &path)
}

async fn given(
    value: Option<String>,
    json: bool,
    flag: &str,
    message: &str,
) -> anyhow::Result<String> {
    match value {
        Some(value) => Ok(value),
        None if ask::is_possible(json) => {
            let question = Question {
                message: message.to_owned(),
                ..Question::default()
            };
            text(question, required()).await
        }
        None => bail!("--{flag} is missing, and there is nobody to ask"),
    }
}
