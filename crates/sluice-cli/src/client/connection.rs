//! Which server to use, with which API key.

use clap::Args;

use super::{config::Config, error::ClientError, http::Client};

const DEFAULT_URL: &str = "http://127.0.0.1:3000";

/// The connection settings: flags, then the environment, then a profile of the configuration file.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// Profile of the configuration file [default: the current profile]
    #[arg(long, short, env = "SLUICE_PROFILE", value_name = "NAME")]
    pub(crate) profile: Option<String>,

    /// URL of the server [default: from the profile, else `http://127.0.0.1:3000`]
    #[arg(long, env = "SLUICE_URL", value_name = "URL")]
    pub(crate) url: Option<String>,

    /// API key of the user [default: from the profile]
    #[arg(
        long,
        env = "SLUICE_API_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    pub(crate) api_key: Option<String>,
}

impl Connection {
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        let (url, key) = (
            non_empty(self.url.as_ref()),
            non_empty(self.api_key.as_ref()),
        );
        let (url, key) = match (url, key) {
            (Some(url), Some(key)) => (url, key),
            (url, key) => {
                let config = Config::load()?;
                let profile = match non_empty(self.profile.as_ref()) {
                    Some(name) => Some(config.profile(&name)?),
                    None => config.profiles().get(config.current()),
                };
                // The key of a profile is not sent to another server.
                let trusted = profile.filter(|profile| {
                    let same = |url: &String| {
                        url.trim_end_matches('/') == profile.url.trim_end_matches('/')
                    };
                    url.as_ref().is_none_or(same)
                });
                let key = key.or_else(|| trusted.map(|profile| profile.api_key.clone()));
                let url = url.or_else(|| profile.map(|profile| profile.url.clone()));
                (
                    url.unwrap_or_else(|| DEFAULT_URL.to_owned()),
                    key.ok_or(ClientError::NoApiKey)?,
                )
            }
        };
        Client::new(&url, key)
    }

    /// The URL of the server, for requests without an API key.
    pub(crate) fn server_url(&self) -> anyhow::Result<String> {
        if let Some(url) = non_empty(self.url.as_ref()) {
            return Ok(url);
        }
        let config = Config::load()?;
        let name = non_empty(self.profile.as_ref());
        let name = name.as_deref().unwrap_or_else(|| config.current());
        let profile = config.profiles().get(name);
        Ok(profile.map_or_else(|| DEFAULT_URL.to_owned(), |profile| profile.url.clone()))
    }
}

/// An empty variable counts as not set.
fn non_empty(value: Option<&String>) -> Option<String> {
    value.filter(|value| !value.is_empty()).cloned()
}
