//! Who commands are, and where: profiles of the configuration file.

mod login;
mod logout;
mod rotate_key;
mod signup;
mod whoami;

use anyhow::Context;
use serde::Serialize;
use sluice_api::User;

pub(crate) use self::{
    login::{LoginOptions, login},
    logout::{LogoutOptions, logout},
    rotate_key::{RotateKeyOptions, rotate_key},
    signup::{SignupOptions, signup},
    whoami::{WhoamiOptions, whoami},
};
use super::output::{complain, show, show_json};
use crate::client::{
    Client, Connection,
    config::{Config, Profile},
};

/// A profile that was written.
#[derive(Serialize)]
struct Kept {
    profile: String,
    url: String,
    id: String,
    username: String,
    email: String,
}

/// The profile that is meant.
fn profile_name(connection: &Connection, config: &Config) -> String {
    let given = connection.profile.as_ref().filter(|name| !name.is_empty());
    given.map_or_else(|| config.current().to_owned(), Clone::clone)
}

/// Keeps the key that a client has, once the server has said whose it is.
async fn keep(client: &Client, mut config: Config, profile: String) -> anyhow::Result<Kept> {
    let (id, username, email) = user_of(client).await?;
    let kept = Profile {
        url: client.url().to_owned(),
        api_key: client.api_key().to_owned(),
    };
    config.set(&profile, kept);
    config.save().context("the profile could not be kept")?;
    Ok(Kept {
        profile,
        url: client.url().to_owned(),
        id,
        username,
        email,
    })
}

impl Kept {
    fn tell(&self, json: bool, config: &str) -> anyhow::Result<()> {
        if json {
            return show_json(self);
        }
        show(&format!(
            "Logged in as {} ({})\n",
            self.username, self.email
        ))?;
        Ok(complain(&format!(
            "Profile {} in {config} has the key for {}\n",
            self.profile, self.url
        ))?)
    }
}

/// The id, name and email address of whoever has the client's key.
async fn user_of(client: &Client) -> anyhow::Result<(String, String, String)> {
    let user: User = client.get("/users/me").await?;
    Ok(match user {
        User::Free(user) => (user.id.to_string(), user.username, user.email),
        User::Paid(user) => (user.id.to_string(), user.username, user.email),
    })
}

/// Puts a new key in the place of the client's own in every profile that has it, and tells; answers whether one has it.
pub(crate) fn replace_in_profiles(client: &Client, key: &str) -> anyhow::Result<bool> {
    let profiles = replace_key(client, key)?;
    if !profiles.is_empty() {
        let names = profiles.join(", ");
        complain(&format!("The key was replaced in profile {names}\n"))?;
    }
    Ok(!profiles.is_empty())
}

/// The names of those profiles.
fn replace_key(client: &Client, new: &str) -> anyhow::Result<Vec<String>> {
    let mut config = Config::load()?;
    let profiles = config.profiles().iter();
    let old: Vec<String> = profiles
        .filter(|(_, profile)| profile.api_key == client.api_key())
        .map(|(name, _)| name.clone())
        .collect();
    for name in &old {
        let url = config.named(name)?.url.clone();
        let api_key = new.to_owned();
        config.set(name, Profile { url, api_key });
    }
    if !old.is_empty() {
        config.save()?;
    }
    Ok(old)
}
