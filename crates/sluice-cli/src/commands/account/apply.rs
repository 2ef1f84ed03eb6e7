//! `sluice apply DIR`

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, IsTerminal},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;
use sluice_api::Component;

use super::{
    act::Acting,
    describe,
    folder::{Folder, Runs},
    plan::Planning,
    props::References,
    read,
    server::Account,
};
use crate::{
    client::{Client, ClientError, escaped},
    commands::{
        common::Common,
        output::{complain, show, show_json},
        secrets::{SecretValues, SecretsFile},
    },
};

/// Something would change, or nobody could be asked.
const DIFFERS: u8 = 2;

/// Make an account what a folder says, after showing the difference
///
/// Values of secrets come from --secrets-file or from the environment; those that the server has already are kept. Exits with 0
/// when all was done, 1 when something failed, and 2 when --dry-run found a difference or --yes is missing without a terminal.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ApplyOptions {
    /// A folder as `sluice export` writes it
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Only show the difference
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Delete what the folder does not have
    #[arg(long)]
    prune: bool,
    /// Send values of secrets that the server has already
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
        Err(mistakes) => {
            complain(&format!("{}\n", mistakes.join("\n")))?;
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
    let planning = Planning {
        folder: &folder,
        account: &account,
        registry: &registry,
        references: &references,
        prune: options.prune,
    };
    let (plan, ids) = planning.plan();
    let json = options.common.json;
    if !json {
        show(&describe::described(&plan))?;
    }
    complain(&describe::problems(&plan))?;
    let has_problems = !plan.problems.is_empty();
    if plan.steps.is_empty() || options.dry_run {
        if json {
            show_json(&describe::as_json(&plan, None))?;
        }
        return Ok(match (has_problems, plan.steps.is_empty()) {
            (true, _) => ExitCode::FAILURE,
            (false, true) => ExitCode::SUCCESS,
            (false, false) => ExitCode::from(DIFFERS),
        });
    }
    if !options.yes && !agreed(json)? {
        if json {
            show_json(&describe::as_json(&plan, None))?;
        }
        return Ok(ExitCode::from(DIFFERS));
    }
    let saved = account.components.iter();
    let saved = saved.map(|saved| (saved.code.clone(), Ok(saved.id.to_string())));
    let mut acting = Acting {
        client: &client,
        folder: &folder,
        ids,
        saved: saved.collect(),
        done: 0,
        failures: Vec::new(),
        json,
    };
    acting.act(&plan).await?;
    let failed = acting.failures.len() + plan.problems.len();
    if json {
        let carried_out = (acting.done, acting.failures.as_slice());
        show_json(&describe::as_json(&plan, Some(carried_out)))?;
    } else {
        show(&format!("{} done, {failed} failed\n", acting.done))?;
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The components that the keys in the folder name: what the account published goes before the registry.
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
    let mut own: Vec<Component> = client.selected("/components", &own).await?;
    let mut found = BTreeMap::new();
    for key in keys {
        let published = own
            .iter()
            .position(|own| own.key.as_ref() == Some(key))
            .map(|place| own.swap_remove(place));
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

fn agreed(json: bool) -> io::Result<bool> {
    if json || !io::stdin().is_terminal() {
        complain("Nothing was changed: give --yes to apply this without being asked\n")?;
        return Ok(false);
    }
    show("Apply this? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
