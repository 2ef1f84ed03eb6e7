//! Questions to whoever sits at the terminal. They are asked on standard error, so that standard output stays clean.

use std::io::{self, IsTerminal};

use anyhow::bail;
use clap::Args;
use inquire::{Confirm, Password, PasswordDisplayMode, Select, Text};

use super::prompt::answer;

/// For commands that destroy something.
#[derive(Debug, Args)]
pub(crate) struct Agreement {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

impl Agreement {
    /// Goes on when somebody agrees, or when there is nobody to ask.
    pub(crate) fn to(&self, question: &str, json: bool) -> anyhow::Result<()> {
        if self.yes
            || !is_possible(json)
            || answer(Confirm::new(question).with_default(false).prompt())?
        {
            return Ok(());
        }
        bail!("nothing was changed")
    }
}

/// Whether anybody is there to answer. Programs that want JSON are never asked.
pub(crate) fn is_possible(json: bool) -> bool {
    !json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

pub(crate) fn text(question: &str) -> anyhow::Result<String> {
    answer(Text::new(question).prompt())
}

/// What is typed stays hidden.
pub(crate) fn secret(question: &str) -> anyhow::Result<String> {
    let prompt = Password::new(question)
        .with_display_mode(PasswordDisplayMode::Hidden)
        .without_confirmation();
    answer(prompt.prompt())
}

pub(crate) fn pick<T: std::fmt::Display>(question: &str, choices: Vec<T>) -> anyhow::Result<T> {
    answer(Select::new(question, choices).prompt())
}
