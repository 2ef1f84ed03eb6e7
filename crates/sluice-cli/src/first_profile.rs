//! The profile that the first start of a server writes, so that the next command on this machine just works.

use std::path::PathBuf;

use sluice_model::ApiKey;

use crate::client::config::{Config, DEFAULT_PROFILE, Profile};

/// What became of the key of the first user.
pub(crate) enum Kept {
    /// Commands find it.
    InProfile(PathBuf),
    /// The profile that commands use is for another server, at this address.
    ProfileIsTaken(String),
    /// There is no place for it; says why.
    Nowhere(String),
}

/// Keeps the key in the profile that commands use when none is named, unless that is for another server.
pub(crate) fn keep(url: &str, key: &ApiKey) -> Kept {
    let kept = || -> anyhow::Result<Kept> {
        let mut config = Config::load()?;
        if config.current() != DEFAULT_PROFILE {
            let chosen = config.profiles().get(config.current());
            return Ok(Kept::ProfileIsTaken(
                chosen
                    .map(|profile| profile.url.clone())
                    .unwrap_or_default(),
            ));
        }
        let same = |known: &str| known.trim_end_matches('/') == url;
        match config.profiles().get(DEFAULT_PROFILE) {
            Some(profile) if !same(&profile.url) => {
                return Ok(Kept::ProfileIsTaken(profile.url.clone()));
            }
            _ => {}
        }
        let profile = Profile {
            url: url.to_owned(),
            api_key: key.as_str().to_owned(),
        };
        config.set(DEFAULT_PROFILE, profile);
        config.save()?;
        Ok(Kept::InProfile(config.path().to_owned()))
    };
    kept().unwrap_or_else(|error| Kept::Nowhere(format!("{error:#}")))
}
