//! `sluice apply`
//!
//! `read` reads the files of a folder, `planner` compares them with the account, and `execute` carries out the plan.

mod diff;
mod execute;
mod matching;
mod plan;
mod planner;
pub(super) mod read;
mod report;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, IsTerminal},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;
use sluice_api::Component;

use self::{execute::Executor, plan::PlanInput};
use crate::commands::code::Code;
use crate::{
    client::{Client, ClientError, escaped},
    commands::{
        common::Common,
        output::{show, show_json, show_stderr},
        secrets::{SecretValues, SecretsFile},
        snapshot::{
            account::Account,
            folder::{Folder, Runs},
            references::References,
        },
    },
};

/// Exit code: there are differences that were not applied.
const DIFFERS: u8 = 2;

/// Apply a folder to your account, after showing the differences
///
/// The values of secrets come from --secrets-file or the environment. Secrets that the server already has are kept. The exit
/// code is 0 when everything was applied, 1 when something failed, and 2 when --dry-run found differences or --yes is missing
/// without a terminal.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ApplyOptions {
    /// Folder in the format of `sluice export`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Show the differences without applying them
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Delete items that are not in the folder
    #[arg(long)]
    prune: bool,
    /// Update secrets that the server already has
    #[arg(long)]
    update_secrets: bool,
    #[command(flatten)]
    secrets: SecretsFile,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn apply(options: ApplyOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let secrets = SecretValues::new(options.secrets.read()?);
    let folder = match read::read(&options.folder).await? {
        Ok(folder) => folder,
        Err(errors) => {
            show_stderr(&format!("{}\n", errors.join("\n")))?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let account = Account::fetch(&client).await?;
    let registry = registry(&client, &folder).await?;
    let references = References {
        secrets: &secrets,
        accounts: &account.accounts,
        update_secrets: options.update_secrets,
    };
    let input = PlanInput {
        folder: &folder,
        account: &account,
        registry: &registry,
        references: &references,
        prune: options.prune,
    };
    let (plan, ids) = planner::plan(&input);
    let json = options.common.json;
    if !json {
        show(&report::plan_text(&plan))?;
    }
    show_stderr(&report::errors_text(&plan))?;
    let has_errors = !plan.errors.is_empty();
    if plan.steps.is_empty() || options.dry_run {
        if json {
            show_json(&report::as_json(&plan, None))?;
        }
        return Ok(match (has_errors, plan.steps.is_empty()) {
            (true, _) => ExitCode::FAILURE,
            (false, true) => ExitCode::SUCCESS,
            (false, false) => ExitCode::from(DIFFERS),
        });
    }
    if !options.yes && !confirmed(json)? {
        if json {
            show_json(&report::as_json(&plan, None))?;
        }
        return Ok(ExitCode::from(DIFFERS));
    }
    let saved = account.components.iter();
    let saved = saved.map(|saved| (Code::of(saved), Ok(saved.id.to_string())));
    let mut executor = Executor {
        client: &client,
        folder: &folder,
        ids,
        saved: saved.collect(),
        done: 0,
        failures: Vec::new(),
        json,
    };
    executor.execute(&plan).await?;
    let failed = executor.failures.len() + plan.errors.len();
    if json {
        let outcome = (executor.done, executor.failures.as_slice());
        show_json(&report::as_json(&plan, Some(outcome)))?;
    } else {
        show(&format!("{} done, {failed} failed\n", executor.done))?;
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The components for the keys in the folder. Those published in the account take precedence over the registry.
async fn registry(
    client: &Client,
    folder: &Folder,
) -> Result<BTreeMap<String, Option<Component>>, ClientError> {
    let keys: BTreeSet<&String> = folder
        .sources
        .values()
        .filter_map(|source| match &source.runs {
            Runs::Registry(key) => Some(key),
            Runs::File { .. } => None,
        })
        .collect();
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let own = [("scope", "published")];
    let mut own: Vec<Component> = client.all_matching("/components", &own).await?;
    let mut found = BTreeMap::new();
    for key in keys {
        let published = own
            .iter()
            .position(|own| own.key.as_ref() == Some(key))
            .map(|index| own.swap_remove(index));
        let component = if published.is_some() {
            published
        } else {
            let path = format!("/components/registry/{}", escaped(key));
            client.find(&path).await?
        };
        found.insert(key.clone(), component);
    }
    Ok(found)
}

fn confirmed(json: bool) -> io::Result<bool> {
    if json || !io::stdin().is_terminal() {
        show_stderr("Nothing was changed: use --yes to apply without confirmation\n")?;
        return Ok(false);
    }
    show("Apply these changes? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
