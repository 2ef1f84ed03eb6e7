//! `sluice completions`

use std::io::Write;

use clap::{Args, Command};
use clap_complete::{Shell, generate};

const EXAMPLES: &str = "\
Examples:
  sluice completions bash > ~/.local/share/bash-completion/completions/sluice
  sluice completions zsh > ~/.zfunc/_sluice      # with ~/.zfunc in fpath, before compinit
  sluice completions fish > ~/.config/fish/completions/sluice.fish";

/// Print a completion script for your shell
///
/// Save it in the completion folder of your shell, then start a new shell.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CompletionsOptions {
    /// Name of the shell
    #[arg(value_enum)]
    shell: Shell,
}

/// `full` is the parser of the whole command line.
pub(crate) fn completions(options: &CompletionsOptions, full: &Command) -> anyhow::Result<()> {
    let visible = full.get_subcommands().filter(|it| !it.is_hide_set());
    let mut command = Command::new("sluice").subcommands(visible.cloned());
    let mut script = Vec::new();
    generate(options.shell, &mut command, "sluice", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}
