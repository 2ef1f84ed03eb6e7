//! The flags of commands that fill in a form.

use std::collections::BTreeMap;

use clap::Args;
use sluice_model::PropDef;

use crate::commands::given_props::{Given, GivenProps, pair};

#[derive(Debug, Default, Args)]
pub(crate) struct PropFlags {
    #[command(flatten)]
    given: GivenProps,
    /// Account to use for an app, by id or name
    #[arg(long = "account", value_name = "APP=ACCOUNT", help_heading = "Props")]
    accounts: Vec<String>,
    /// Ask for optional props and for those that have a value too
    #[arg(long, help_heading = "Props")]
    pub(crate) prompt_all: bool,
}

/// Accounts by app or by prop.
#[derive(Debug, Default)]
pub(super) struct GivenAccounts(BTreeMap<String, String>);

impl PropFlags {
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty() && self.accounts.is_empty()
    }

    pub(super) fn read(&self) -> anyhow::Result<(Given, GivenAccounts)> {
        let mut accounts = GivenAccounts::default();
        for flag in &self.accounts {
            let (app, account) = pair(flag, "--account", "APP=ACCOUNT")?;
            accounts.0.insert(app.to_owned(), account.to_owned());
        }
        Ok((self.given.read()?, accounts))
    }
}

impl GivenAccounts {
    /// The account that is given for an app prop.
    pub(super) fn of(&self, prop: &PropDef) -> Option<&str> {
        let by_prop = self.0.get(&prop.name);
        let account = by_prop.or_else(|| self.0.get(prop.app()?))?;
        Some(account)
    }
}
