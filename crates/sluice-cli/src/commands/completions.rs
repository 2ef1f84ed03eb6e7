//! `sluice completions`

use std::io::Write;

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::command_line::command_line;

const EXAMPLES: &str = "\
Examples:
  sluice completions bash > ~/.local/share/bash-completion/completions/sluice
  sluice completions zsh > ~/.zfunc/_sluice      # with ~/.zfunc in fpath, before compinit
  sluice completions fish > ~/.config/fish/completions/sluice.fish";

/// Print a script that teaches your shell to complete commands and flags
///
/// Put it where your shell looks for such scripts, and start a new shell.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CompletionsOptions {
    /// Your shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn completions(options: &CompletionsOptions) -> anyhow::Result<()> {
    let whole = command_line();
    let shown = whole.get_subcommands().filter(|it| !it.is_hide_set());
    let mut command = Command::new("sluice").subcommands(shown.cloned());
    let mut script = Vec::new();
    generate(options.shell, &mut command, "sluice", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}
