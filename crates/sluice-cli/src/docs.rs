//! The pages of `docs/cli`, generated from the definition of the command line.

use std::{env, fmt::Write, fs, path::PathBuf};

use clap::{Arg, Command};

use crate::command_line::{GROUPS, command_line};

/// Set this variable to rewrite the pages.
const UPDATE: &str = "SLUICE_UPDATE_SNAPSHOTS";
/// Around the generated list of commands in the index. The rest of the index is written by hand.
const MARKS: [&str; 2] = ["<!-- commands -->\n", "<!-- end of commands -->\n"];
const EXAMPLES: &str = "Examples:\n";

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli"))
}

fn commands(parent: &Command) -> impl Iterator<Item = &Command> {
    let shown = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    parent.get_subcommands().filter(shown)
}

/// The page of a command and its subcommands.
fn page(command: &Command) -> String {
    let mut text =
        "<!-- Generated from the help of the command: change that instead. -->\n\n".to_owned();
    section(&mut text, command, "#");
    text.trim_end().to_owned() + "\n"
}

fn section(text: &mut String, command: &Command, level: &str) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let _ = write!(text, "{level} {name}\n\n");
    let about = command.get_long_about().or(command.get_about());
    if let Some(about) = about {
        let _ = write!(text, "{}\n\n", sentences(&about.to_string()));
    }
    let mut command = command.clone();
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").lines().map(str::trim);
    let usage: Vec<&str> = usage.collect();
    let _ = write!(text, "```text\n{}\n```\n\n", usage.join("\n"));
    if let Some(after) = command.get_after_long_help() {
        let after = after.to_string();
        let examples = after.strip_prefix(EXAMPLES).unwrap_or(&after);
        text.push_str("Examples:\n\n```sh\n");
        for line in examples.lines() {
            let _ = writeln!(text, "{}", line.strip_prefix("  ").unwrap_or(line));
        }
        text.push_str("```\n\n");
    }
    for (heading, options) in by_heading(&command) {
        let _ = write!(text, "{heading}:\n\n{options}\n");
    }
    for subcommand in commands(&command) {
        section(
            text,
            subcommand,
            &format!("{}#", &level[..level.len().min(2)]),
        );
    }
}

/// The description as prose: its first line gets a full stop.
fn sentences(about: &str) -> String {
    let (first, rest) = about.split_once("\n\n").unwrap_or((about, ""));
    let text = format!("{}.\n\n{rest}", first.trim_end_matches('.'));
    text.trim_end().to_owned()
}

/// Arguments and options under the headings of help, in its order.
fn by_heading(command: &Command) -> Vec<(String, String)> {
    let mut headings: Vec<(String, String)> = Vec::new();
    for argument in command.get_arguments() {
        if argument.is_hide_set() || ["help", "version"].contains(&argument.get_id().as_str()) {
            continue;
        }
        let heading = match argument.get_help_heading() {
            Some(heading) => heading,
            None if argument.is_positional() => "Arguments",
            None => "Options",
        };
        let line = argument_line(argument);
        match headings.iter_mut().find(|(name, _)| name == heading) {
            Some((_, lines)) => lines.push_str(&line),
            None => headings.push((heading.to_owned(), line)),
        }
    }
    headings
}

fn argument_line(argument: &Arg) -> String {
    let mut names: Vec<String> = Vec::new();
    names.extend(argument.get_short().map(|short| format!("-{short}")));
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let mut name = names.join(", ");
    let takes_values = argument.get_action().takes_values();
    if takes_values {
        let values = argument.get_value_names().unwrap_or_default();
        let values: Vec<String> = values.iter().map(|value| format!("<{value}>")).collect();
        name = format!("{name} {}", values.join(" ")).trim().to_owned();
    }
    let help = argument.get_long_help().or(argument.get_help());
    let mut line = format!(
        "- `{name}`: {}",
        help.map(ToString::to_string).unwrap_or_default()
    );
    let defaults = argument.get_default_values();
    if takes_values && !defaults.is_empty() {
        let defaults: Vec<_> = defaults
            .iter()
            .map(|value| value.to_string_lossy())
            .collect();
        let _ = write!(line, " [default: `{}`]", defaults.join(","));
    }
    if let Some(variable) = argument.get_env() {
        let _ = write!(line, " [env: `{}`]", variable.to_string_lossy());
    }
    line.push('\n');
    if takes_values {
        for value in argument.get_possible_values() {
            let help = value.get_help().map(|help| format!(": {help}"));
            let _ = writeln!(
                line,
                "  - `{}`{}",
                value.get_name(),
                help.unwrap_or_default()
            );
        }
    }
    line
}

/// The list of commands in the index.
fn list_of_commands(root: &Command) -> String {
    let mut text = String::new();
    for (group, names) in GROUPS {
        let _ = write!(
            text,
            "\n**{group}**\n\n| command | description |\n|---|---|\n"
        );
        for name in names {
            if let Some(command) = commands(root).find(|command| command.get_name() == *name) {
                let about = command.get_about().map(ToString::to_string);
                let about = about.unwrap_or_default();
                let _ = writeln!(text, "| [`sluice {name}`]({name}.md) | {about} |");
            }
        }
    }
    text + "\n"
}

fn index(written: &str, root: &Command) -> String {
    let [begin, end] = MARKS;
    let (before, rest) = written
        .split_once(begin)
        .expect("the mark before the commands exists");
    let (_, after) = rest
        .split_once(end)
        .expect("the mark after the commands exists");
    format!("{before}{begin}{}{end}{after}", list_of_commands(root))
}

#[test]
fn every_command_has_an_up_to_date_page() {
    let mut root = command_line();
    root.build();
    let readme = fs::read_to_string(folder().join("README.md")).expect("the index");
    let mut pages: Vec<(String, String)> = commands(&root)
        .map(|command| (format!("{}.md", command.get_name()), page(command)))
        .collect();
    pages.push(("README.md".to_owned(), index(&readme, &root)));
    for (name, text) in &pages {
        let file = folder().join(name);
        if env::var_os(UPDATE).is_some() {
            fs::write(&file, text).expect("the page can be written");
        }
        let written = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written == *text,
            "docs/cli/{name} is out of date: run this test with {UPDATE}=1"
        );
    }
    for entry in fs::read_dir(folder()).expect("the folder of pages") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        assert!(
            pages.iter().any(|(page, _)| *page == name),
            "docs/cli/{name} belongs to no command"
        );
    }
}
