//! When to ask, and asking before something is destroyed.

use std::io::{self, IsTerminal};

use anyhow::bail;
use clap::Args;

use super::prompt::{Question, yes_or_no};

/// For commands that destroy something.
#[derive(Debug, Args)]
pub(crate) struct Agreement {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

impl Agreement {
    /// Goes on when somebody agrees, or when there is nobody to ask.
    pub(crate) async fn to(&self, message: String, json: bool) -> anyhow::Result<()> {
        if self.yes || !is_possible(json) {
            return Ok(());
        }
        let question = Question {
            message,
            ..Question::default()
        };
        if yes_or_no(question, Some(false)).await? {
            return Ok(());
        }
        bail!("nothing was changed")
    }
}

/// Whether anybody is there to answer. Programs that want JSON are never asked.
pub(crate) fn is_possible(json: bool) -> bool {
    !json && io::stdin().is_terminal() && io::stderr().is_terminal()
}
