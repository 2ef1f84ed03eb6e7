//! `sluice list`

mod components;
mod listeners;
pub(super) mod profiles;
mod sources;

use std::fmt;

use anyhow::bail;
use clap::{Args, ValueEnum};

use self::components::{Filter, Scope};
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

/// List sources, streams, components and other items of your account
///
/// Without an argument, the command asks on a terminal, and lists sources otherwise. The newest are first.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListOptions {
    /// Kind of items to list
    #[arg(value_enum, value_name = "KIND")]
    items: Option<ListKind>,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListKind {
    /// Deployed components
    #[value(alias = "so")]
    Sources,
    /// Event streams of sources and workflows, with their URLs
    #[value(alias = "st")]
    Streams,
    /// Saved components
    Components,
    /// URLs that events are delivered to
    Webhooks,
    /// Subscriptions of listeners to emitters
    Subscriptions,
    /// Connected accounts of apps
    Accounts,
    /// Workflows
    Workflows,
    /// Components published in your account
    Published,
    /// Components published for all users of the server
    Registry,
    /// Profiles of the configuration file
    Profiles,
}

impl fmt::Display for ListKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value().expect("no variant is hidden");
        f.write_str(value.get_name())
    }
}

impl ListKind {
    fn scope(self) -> Option<Scope> {
        match self {
            ListKind::Components => Some(Scope::Own),
            ListKind::Published => Some(Scope::Published),
            ListKind::Registry => Some(Scope::Registry),
            _ => None,
        }
    }
}

pub(crate) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let ListOptions {
        items,
        filter,
        common,
    } = options;
    let kind = match items {
        Some(kind) => kind,
        None if ask::is_interactive(common.json) => {
            let question = Question {
                message: "Kind of items".to_owned(),
                ..Question::default()
            };
            let all = ListKind::value_variants().iter();
            let rows = all.map(|kind| Row::new(kind.to_string(), *kind)).collect();
            prompt::pick(question, rows, 0).await?
        }
        None => ListKind::Sources,
    };
    if !filter.is_empty() && kind.scope().is_none() {
        bail!("-q, --app and --type apply to components, published and registry only");
    }
    if kind == ListKind::Profiles {
        return profiles::list(common.json);
    }
    let client = common.connection.client()?;
    match kind {
        ListKind::Sources => sources::list(&client, common.json).await,
        ListKind::Streams => sources::streams(&client, common.json).await,
        ListKind::Webhooks => listeners::webhooks(&client, common.json).await,
        ListKind::Subscriptions => listeners::subscriptions(&client, common.json).await,
        ListKind::Accounts => accounts::show_all(&client, None, common.json).await,
        ListKind::Workflows => workflows::show_all(&client, common.json).await,
        ListKind::Components | ListKind::Published | ListKind::Registry | ListKind::Profiles => {
            let scope = kind.scope().unwrap_or(Scope::Own);
            components::list(&client, scope, &filter, common.json).await
        }
    }
}
