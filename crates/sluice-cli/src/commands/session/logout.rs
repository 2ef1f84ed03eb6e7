//! `sluice logout`

use clap::Args;
use serde_json::json;

use super::profile::profile_name;
use crate::{
    client::config::Config,
    commands::{
        common::Common,
        output::{show, show_json},
    },
    exit::NotFound,
};

/// Delete a profile with its API key
///
/// The key stays valid. `sluice rotate-key` replaces it.
#[derive(Debug, Args)]
pub(crate) struct LogoutOptions {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn logout(options: &LogoutOptions) -> anyhow::Result<()> {
    let Common { json, connection } = &options.common;
    let mut config = Config::load()?;
    let profile = profile_name(connection, &config);
    if !config.remove(&profile) {
        let path = config.path().display();
        return Err(NotFound(format!(
            "no profile {profile} in {path}: list yours with `sluice list profiles`"
        ))
        .into());
    }
    config.save()?;
    if *json {
        return show_json(&json!({ "profile": profile }));
    }
    Ok(show(&format!("Logged out of profile {profile}\n"))?)
}
