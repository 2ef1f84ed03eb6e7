//! Profiles of the configuration file; their keys stay there.

use serde::Serialize;

use crate::{client::config::Config, commands::output::show_list};

#[derive(Serialize)]
struct Kept {
    name: String,
    url: String,
    /// Whether it is meant when none is named.
    current: bool,
}

pub(super) fn list(json: bool) -> anyhow::Result<()> {
    let config = Config::load()?;
    let kept = |(name, url): (&String, &String)| Kept {
        name: name.clone(),
        url: url.clone(),
        current: name == config.current(),
    };
    let profiles = config.profiles().iter();
    let profiles: Vec<Kept> = profiles
        .map(|(name, profile)| kept((name, &profile.url)))
        .collect();
    let hint = "No profiles yet: `sluice login` keeps one";
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
