//! The profile that the first start of a server writes, so that commands on this machine need no login.

use std::path::PathBuf;

use sluice_model::ApiKey;

use crate::client::config::{Config, DEFAULT_PROFILE, Profile};

/// Where the first user's API key was saved.
pub(crate) enum SavedKey {
    /// In the default profile of this configuration file.
    Profile(PathBuf),
    /// Not saved: the current profile is for another server, at this address.
    OtherServer(String),
    /// Not saved, for this reason.
    NotSaved(String),
}

/// Saves the key in the default profile, unless the current profile is for another server.
pub(crate) fn save(url: &str, key: &ApiKey) -> SavedKey {
    let save = || -> anyhow::Result<SavedKey> {
        let mut config = Config::load()?;
        if config.current() != DEFAULT_PROFILE {
            let current = config.profiles().get(config.current());
            return Ok(SavedKey::OtherServer(
                current
                    .map(|profile| profile.url.clone())
                    .unwrap_or_default(),
            ));
        }
        let is_same = |saved: &str| saved.trim_end_matches('/') == url;
        match config.profiles().get(DEFAULT_PROFILE) {
            Some(profile) if !is_same(&profile.url) => {
                return Ok(SavedKey::OtherServer(profile.url.clone()));
            }
            _ => {}
        }
        let profile = Profile {
            url: url.to_owned(),
            api_key: key.as_str().to_owned(),
        };
        config.set(DEFAULT_PROFILE, profile);
        config.save()?;
        Ok(SavedKey::Profile(config.path().to_owned()))
    };
    save().unwrap_or_else(|error| SavedKey::NotSaved(format!("{error:#}")))
}
