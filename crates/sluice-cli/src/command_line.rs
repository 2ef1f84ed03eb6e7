//! The command line: the groups of commands and the top-level help.

use std::fmt::Write;

use anstyle::Style;
use clap::{Command, CommandFactory};

use crate::cli::Cli;

const HEADING: Style = Style::new().bold().underline();
const NAME: Style = Style::new().bold();

/// Every command belongs to exactly one group.
pub(crate) const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Develop",
        &[
            "init",
            "dev",
            "test",
            "deploy",
            "update",
            "rollback",
            "run",
            "actions",
            "publish",
            "unpublish",
        ],
    ),
    (
        "Inspect",
        &[
            "list", "describe", "events", "logs", "versions", "trace", "whoami",
        ],
    ),
    (
        "Manage",
        &[
            "delete",
            "workflows",
            "tools",
            "mcp",
            "accounts",
            "apps",
            "webhooks",
            "notifications",
            "subscribe",
            "unsubscribe",
            "export",
            "apply",
            "import",
        ],
    ),
    (
        "Operate",
        &[
            "serve",
            "backup",
            "restore",
            "migrate",
            "doctor",
            "login",
            "logout",
            "profile",
            "rotate-key",
            "signup",
            "keys",
            "sessions",
            "users",
            "audit",
            "cluster",
            "registry",
            "completions",
        ],
    ),
];

/// The parser, with its commands in groups.
pub(crate) fn command_line() -> Command {
    let command = Cli::command();
    let template = template(&command);
    command.help_template(template)
}

fn template(command: &Command) -> String {
    let width = visible(command).map(|(name, _)| name.len()).max();
    let width = width.unwrap_or_default();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, names) in GROUPS {
        let _ = writeln!(text, "\n{HEADING}{group}{HEADING:#}");
        for name in names {
            let found = visible(command).find(|(found, _)| found == name);
            if let Some((name, about)) = found {
                let _ = writeln!(text, "  {NAME}{name:width$}{NAME:#}  {about}");
            }
        }
    }
    let _ = writeln!(text, "\n{HEADING}Options{HEADING:#}\n{{options}}");
    text + "\nRun `sluice help COMMAND` for the help of a command."
}

/// The visible commands, each with its one-line description.
fn visible(command: &Command) -> impl Iterator<Item = (String, String)> {
    let commands = command.get_subcommands().filter(|it| !it.is_hide_set());
    commands.map(|command| {
        let about = command.get_about().map(ToString::to_string);
        (command.get_name().to_owned(), about.unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_has_a_description() {
        let command = Cli::command();
        for (name, about) in visible(&command) {
            let groups = GROUPS
                .iter()
                .filter(|(_, names)| names.contains(&name.as_str()));
            assert_eq!(groups.count(), 1, "{name}");
            assert!(!about.is_empty(), "{name}");
        }
    }

    #[test]
    fn the_definition_is_valid() {
        command_line().debug_assert();
    }
}
