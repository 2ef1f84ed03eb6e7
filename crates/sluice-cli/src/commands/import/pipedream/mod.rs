//! `sluice import pipedream`
//!
//! `api` sends requests, `listings` reads the lists of an account, and `workflows` reads synced folders. `sources` and `routes`
//! translate them into the folder of `sluice apply`. `report` collects the manual work, `check` verifies the files, and
//! `target` writes them.

mod accounts;
mod api;
mod check;
mod components;
mod env_names;
mod listings;
mod masked;
mod names;
mod report;
mod report_text;
mod routes;
mod sources;
mod target;
mod workflows;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use anyhow::bail;
use clap::Args;

use self::{
    accounts::Accounts,
    api::Api,
    check::remove_broken,
    components::Components,
    listings::{Listings, SourceRow},
    names::Names,
    report::Report,
    target::Target,
    workflows::SyncedWorkflow,
};
use crate::commands::{
    output::{show, show_json},
    snapshot::{folder::Folder, to_files},
};

const DEFAULT_BASE_URL: &str = "https://api.pipedream.com/v1";
const REPORT: &str = "REPORT.md";

/// Import sources, webhooks, subscriptions and workflows from Pipedream into a folder for `sluice apply`
///
/// With an API key, the command reads the lists of sources, webhooks, subscriptions and accounts. With --workflows, it reads the
/// workflows of a checkout that GitHub Sync wrote. Nothing is changed at Pipedream or on the server. REPORT.md in the folder
/// lists the manual work: accounts to connect, secrets to enter, and features without an equivalent.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  PIPEDREAM_API_KEY=… sluice import pipedream --to moved
  sluice import pipedream --to moved --workflows ~/my-project --api-key KEY
  sluice apply moved --dry-run")]
pub(crate) struct PipedreamOptions {
    /// Folder to write to. It must be empty or not exist
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// API key of Pipedream. Without it, only workflows are read
    #[arg(
        long,
        env = "PIPEDREAM_API_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    api_key: Option<String>,
    /// URL of the API
    #[arg(long, value_name = "URL", default_value = DEFAULT_BASE_URL)]
    base_url: String,
    /// Read only this workspace, by its id [default: all workspaces of the user]
    #[arg(long, value_name = "ID")]
    org: Option<String>,
    /// Folder with synced workflows, at any depth. Can be repeated
    #[arg(long, value_name = "DIR")]
    workflows: Vec<PathBuf>,
    /// Use an account of the server in workflows: the id at Pipedream and the id on the server. Can be repeated
    #[arg(long = "account", value_name = "OLD=NEW")]
    accounts: Vec<String>,
    /// Replace the folder of an earlier import, with all changes in it
    #[arg(long)]
    force: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn import(options: PipedreamOptions) -> anyhow::Result<ExitCode> {
    let api = match options.api_key.as_deref().filter(|key| !key.is_empty()) {
        Some(key) => Some(Api::new(&options.base_url, key)?),
        None if options.workflows.is_empty() => bail!(
            "nothing to import: set PIPEDREAM_API_KEY or use --api-key, or use --workflows for a synced folder"
        ),
        None => None,
    };
    let replaced = replaced_accounts(&options.accounts)?;
    let target = Target::open(&options.to, options.force)?;
    let mut report = Report::default();
    let found = workflows::find(&options.workflows, &mut report)?;
    let found = Found::read(api.as_ref(), options.org.as_deref(), found, &mut report).await?;
    let mut folder = found.translate(api.as_ref(), replaced, &mut report).await?;
    target.stage(&to_files::files(&folder)?)?;
    remove_broken(&mut folder, target.staging(), &mut report).await?;
    report.count(&folder);
    let mut files = to_files::files(&folder)?;
    files.extend(report.files());
    files.insert(REPORT.to_owned(), report_text::markdown(&report));
    target.stage(&files)?;
    target.finish(&files)?;
    if options.json {
        show_json(&report)?;
    } else {
        show(&report_text::summary(&report, &options.to))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The ids of accounts on the server, by their ids at Pipedream.
fn replaced_accounts(flags: &[String]) -> anyhow::Result<BTreeMap<String, String>> {
    let pairs = flags.iter().map(|flag| match flag.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => {
            Ok((old.to_owned(), new.to_owned()))
        }
        _ => bail!("--account {flag}: must be OLD=NEW, with two ids such as apn_abc123"),
    });
    pairs.collect()
}

/// Everything that was read.
struct Found {
    listings: Listings,
    workflows: Vec<SyncedWorkflow>,
}

impl Found {
    async fn read(
        api: Option<&Api>,
        org: Option<&str>,
        mut workflows: Vec<SyncedWorkflow>,
        report: &mut Report,
    ) -> anyhow::Result<Found> {
        let mut listings = Listings::default();
        if let Some(api) = api {
            listings = Listings::fetch(api, org, report).await?;
            for workflow in &mut workflows {
                workflow.fetch_details(api, org, report).await?;
            }
        }
        let known = listings.sources.len();
        for workflow in &workflows {
            let triggers = workflow.triggers().filter_map(SourceRow::of_trigger);
            for source in triggers {
                if !listings.sources.iter().any(|other| other.id == source.id) {
                    listings.sources.push(source);
                }
            }
        }
        listings.sources[known..].sort_by_key(SourceRow::order);
        Ok(Found {
            listings,
            workflows,
        })
    }

    async fn translate(
        &self,
        api: Option<&Api>,
        replaced: BTreeMap<String, String>,
        report: &mut Report,
    ) -> anyhow::Result<Folder> {
        let names = Names::new(&self.listings, &self.workflows);
        let mut accounts = Accounts::new(&self.listings.accounts, replaced);
        let mut components = Components::new(api);
        let mut folder = Folder::default();
        for source in &self.listings.sources {
            let component = components.of_source(source).await?;
            sources::add(
                &mut folder,
                source,
                component,
                &names,
                &mut accounts,
                report,
            );
        }
        routes::add_webhooks(&mut folder, &self.listings.webhooks, &names, report);
        for workflow in &self.workflows {
            let mut translator = workflows::Translator {
                names: &names,
                accounts: &mut accounts,
                components: &mut components,
                report,
            };
            translator.add(&mut folder, workflow).await?;
        }
        routes::add_subscriptions(&mut folder, &self.listings.subscriptions, &names, report);
        accounts.finish(report);
        Ok(folder)
    }
}
