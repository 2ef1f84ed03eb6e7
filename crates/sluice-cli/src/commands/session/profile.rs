//! Saving API keys in profiles of the configuration file.

use anyhow::Context;
use serde::Serialize;
use sluice_api::User;

use crate::{
    client::{
        Client, Connection,
        config::{Config, Profile},
    },
    commands::output::{show, show_json, show_stderr},
};

/// A saved profile and its user.
#[derive(Serialize)]
pub(super) struct SavedProfile {
    profile: String,
    url: String,
    id: String,
    username: String,
    email: String,
}

/// The given profile, or the current one.
pub(super) fn profile_name(connection: &Connection, config: &Config) -> String {
    let name = connection.profile.as_ref().filter(|name| !name.is_empty());
    name.map_or_else(|| config.current().to_owned(), Clone::clone)
}

/// Saves the API key of a client, after the server has accepted it.
pub(super) async fn save_profile(
    client: &Client,
    mut config: Config,
    profile: String,
) -> anyhow::Result<SavedProfile> {
    let (id, username, email) = user_of(client).await?;
    let entry = Profile {
        url: client.url().to_owned(),
        api_key: client.api_key().to_owned(),
    };
    config.set(&profile, entry);
    config.save().context("cannot save the profile")?;
    Ok(SavedProfile {
        profile,
        url: client.url().to_owned(),
        id,
        username,
        email,
    })
}

impl SavedProfile {
    pub(super) fn show(&self, json: bool, config: &str) -> anyhow::Result<()> {
        if json {
            return show_json(self);
        }
        show(&format!(
            "Logged in as {} ({})\n",
            self.username, self.email
        ))?;
        Ok(show_stderr(&format!(
            "Saved the key for {} as profile {} in {config}\n",
            self.url, self.profile
        ))?)
    }
}

/// The id, name and email address of the client's user.
pub(crate) async fn user_of(client: &Client) -> anyhow::Result<(String, String, String)> {
    let user: User = client.get("/users/me").await?;
    Ok(match user {
        User::Free(user) => (user.id.to_string(), user.username, user.email),
        User::Paid(user) => (user.id.to_string(), user.username, user.email),
    })
}

/// Replaces the client's API key in all profiles that have it. Returns whether any has it.
pub(crate) fn replace_key_in_profiles(client: &Client, key: &str) -> anyhow::Result<bool> {
    let profiles = replace_key(client, key)?;
    if !profiles.is_empty() {
        let names = profiles.join(", ");
        show_stderr(&format!("Replaced the key in profile {names}\n"))?;
    }
    Ok(!profiles.is_empty())
}

/// Returns the names of the changed profiles.
fn replace_key(client: &Client, new: &str) -> anyhow::Result<Vec<String>> {
    let mut config = Config::load()?;
    let profiles = config.profiles().iter();
    let old: Vec<String> = profiles
        .filter(|(_, profile)| profile.api_key == client.api_key())
        .map(|(name, _)| name.clone())
        .collect();
    for name in &old {
        let url = config.profile(name)?.url.clone();
        let api_key = new.to_owned();
        config.set(name, Profile { url, api_key });
    }
    if !old.is_empty() {
        config.save()?;
    }
    Ok(old)
}
