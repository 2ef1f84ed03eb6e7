//! Profiles of the configuration file, without their API keys.

use serde::Serialize;

use crate::{client::config::Config, commands::output::show_list};

#[derive(Serialize)]
struct ProfileRow {
    name: String,
    url: String,
    current: bool,
}

pub(crate) fn list(json: bool) -> anyhow::Result<()> {
    let config = Config::load()?;
    let row = |(name, url): (&String, &String)| ProfileRow {
        name: name.clone(),
        url: url.clone(),
        current: name == config.current(),
    };
    let profiles = config.profiles().iter();
    let profiles: Vec<ProfileRow> = profiles
        .map(|(name, profile)| row((name, &profile.url)))
        .collect();
    let hint = "No profiles: create one with `sluice login`";
    let header = ["NAME", "CURRENT", "URL"];
    show_list(&profiles, json, &header, hint, |profile| {
        let current = if profile.current { "yes" } else { "" };
        vec![
            profile.name.clone(),
            current.to_owned(),
            profile.url.clone(),
        ]
    })
}
