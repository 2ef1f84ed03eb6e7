//! The flags of commands that configure props.

use std::collections::BTreeMap;

use clap::Args;
use sluice_model::PropDef;

use crate::commands::prop_args::{PropArgs, PropInputs, pair};

#[derive(Debug, Default, Args)]
pub(crate) struct PropFlags {
    #[command(flatten)]
    props: PropArgs,
    /// Account for an app, by id or name
    #[arg(long = "account", value_name = "APP=ACCOUNT", help_heading = "Props")]
    accounts: Vec<String>,
    /// Ask for all props, including optional ones and those with a value
    #[arg(long, help_heading = "Props")]
    pub(crate) prompt_all: bool,
}

/// Ids or names of accounts, by app or prop.
#[derive(Debug, Default)]
pub(super) struct AccountArgs(BTreeMap<String, String>);

impl PropFlags {
    pub(crate) fn is_empty(&self) -> bool {
        self.props.is_empty() && self.accounts.is_empty()
    }

    pub(super) fn read(&self) -> anyhow::Result<(PropInputs, AccountArgs)> {
        let mut accounts = AccountArgs::default();
        for flag in &self.accounts {
            let (app, account) = pair(flag, "--account", "APP=ACCOUNT")?;
            accounts.0.insert(app.to_owned(), account.to_owned());
        }
        Ok((self.props.read()?, accounts))
    }
}

impl AccountArgs {
    /// The given account of an app prop.
    pub(super) fn get(&self, prop: &PropDef) -> Option<&str> {
        let by_prop = self.0.get(&prop.name);
        let account = by_prop.or_else(|| self.0.get(prop.app()?))?;
        Some(account)
    }
}
