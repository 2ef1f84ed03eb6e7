//! `sluice list`

mod components;
mod listeners;
mod profiles;
mod sources;

use std::fmt;

use anyhow::bail;
use clap::{Args, ValueEnum};

use self::components::{Filter, Scope};
pub(crate) use self::sources::trigger_words;
use super::{
    accounts, ask,
    common::Common,
    prompt::{self, Question, Row},
    workflows,
};

const EXAMPLES: &str = "\
Examples:
  sluice list
  sluice list streams
  sluice list registry -q 'new order' --app shopify
  sluice list sources --json | jq -r '.[].id'";

/// List what the account has: sources, streams, components and the rest
///
/// Without a word for what, it asks on a terminal, and lists sources elsewhere. Newest first.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListOptions {
    /// What to list
    #[arg(value_enum, value_name = "WHAT")]
    what: Option<Listed>,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Listed {
    /// Deployed components
    #[value(alias = "so")]
    Sources,
    /// Where events can be followed, with their addresses
    #[value(alias = "st")]
    Streams,
    /// Components that were saved
    Components,
    /// Addresses that events are delivered to
    Webhooks,
    /// Who gets whose events
    Subscriptions,
    /// Accounts of apps
    Accounts,
    /// Workflows
    Workflows,
    /// Components that were published into the account
    Published,
    /// Components of the whole server
    Registry,
    /// Servers and accounts that `sluice login` keeps
    Profiles,
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value().expect("none is hidden");
        f.write_str(value.get_name())
    }
}

impl Listed {
    fn scope(self) -> Option<Scope> {
        match self {
            Listed::Components => Some(Scope::Own),
            Listed::Published => Some(Scope::Published),
            Listed::Registry => Some(Scope::Registry),
            _ => None,
        }
    }
}

pub(crate) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let ListOptions {
        what,
        filter,
        common,
    } = options;
    let what = match what {
        Some(what) => what,
        None if ask::is_possible(common.json) => {
            let question = Question {
                message: "List what?".to_owned(),
                ..Question::default()
            };
            let all = Listed::value_variants().iter();
            let rows = all.map(|what| Row::new(what.to_string(), *what)).collect();
            prompt::pick(question, rows, 0).await?
        }
        None => Listed::Sources,
    };
    if !filter.is_empty() && what.scope().is_none() {
        bail!("-q, --app and --type are for components, published and registry only");
    }
    if what == Listed::Profiles {
        return profiles::list(common.json);
    }
    let client = common.connection.client()?;
    match what {
        Listed::Sources => sources::list(&client, common.json).await,
        Listed::Streams => sources::streams(&client, common.json).await,
        Listed::Webhooks => listeners::webhooks(&client, common.json).await,
        Listed::Subscriptions => listeners::subscriptions(&client, common.json).await,
        Listed::Accounts => accounts::show_all(&client, None, common.json).await,
        Listed::Workflows => workflows::show_all(&client, common.json).await,
        Listed::Components | Listed::Published | Listed::Registry | Listed::Profiles => {
            let scope = what.scope().unwrap_or(Scope::Own);
            components::list(&client, scope, &filter, common.json).await
        }
    }
}
