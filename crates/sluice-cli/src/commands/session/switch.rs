//! `sluice profile …`

use clap::{Args, Subcommand};
use serde_json::json;

use crate::{
    client::config::Config,
    commands::{
        list::profiles,
        output::{show, show_json},
    },
    exit::NotFound,
};

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    Use(UseOptions),
    List(ListOptions),
}

/// Make a profile the current one, for commands without --profile
#[derive(Debug, Args)]
pub(crate) struct UseOptions {
    /// Name of the profile
    #[arg(value_name = "NAME")]
    name: String,
    /// Print JSON: the name and URL of the profile
    #[arg(long)]
    json: bool,
}

/// List the profiles
#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn profile(command: ProfileCommand) -> anyhow::Result<()> {
    match command {
        ProfileCommand::Use(options) => use_profile(&options),
        ProfileCommand::List(options) => profiles::list(options.json),
    }
}

fn use_profile(options: &UseOptions) -> anyhow::Result<()> {
    let mut config = Config::load()?;
    let name = &options.name;
    let Some(profile) = config.profiles().get(name) else {
        let path = config.path().display();
        return Err(NotFound(format!(
            "no profile {name} in {path}: list yours with `sluice profile list`, or create it with `sluice login --profile {name}`"
        ))
        .into());
    };
    let url = profile.url.clone();
    config.use_profile(name)?;
    config.save()?;
    if options.json {
        return show_json(&json!({ "profile": name, "url": url }));
    }
    Ok(show(&format!("Using profile {name} ({url})\n"))?)
}
