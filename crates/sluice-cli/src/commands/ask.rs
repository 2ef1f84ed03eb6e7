//! Whether prompts are possible, and the confirmation of destructive commands.

use std::io::{self, IsTerminal};

use anyhow::bail;
use clap::Args;

use super::prompt::{Question, yes_or_no};

/// The flag of destructive commands.
#[derive(Debug, Args)]
pub(crate) struct Confirmation {
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

impl Confirmation {
    /// Fails unless the user confirms. Without a terminal no confirmation is needed.
    pub(crate) async fn require(&self, message: String, json: bool) -> anyhow::Result<()> {
        if self.yes || !is_interactive(json) {
            return Ok(());
        }
        let question = Question {
            message,
            ..Question::default()
        };
        if yes_or_no(question, Some(false)).await? {
            return Ok(());
        }
        bail!("cancelled, nothing was changed")
    }
}

/// Whether a user can answer prompts. With `--json` there are no prompts.
pub(crate) fn is_interactive(json: bool) -> bool {
    !json && io::stdin().is_terminal() && io::stderr().is_terminal()
}
