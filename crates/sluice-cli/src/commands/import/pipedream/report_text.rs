//! The report as Markdown, and its summary as text.

use std::{collections::BTreeSet, fmt::Write, path::Path};

use super::report::{AccountUse, Kind, ORIGINALS, Report};
use crate::commands::output::counted;

const MAX_TEXT_CHARS: usize = 1000;

/// The counts, for standard output.
pub(super) fn summary(report: &Report, folder: &Path) -> String {
    let counts = report.counts;
    let written = [
        counted(counts.components, "component"),
        counted(counts.sources, "source"),
        counted(counts.workflows, "workflow"),
        counted(counts.webhooks, "webhook"),
        counted(counts.subscriptions, "subscription"),
    ];
    let left = [
        counted(report.accounts.len(), "account") + " to connect",
        counted(report.secrets.len(), "secret") + " to enter",
        counted(report.of_kind(Kind::NotImported).count(), "item") + " not imported",
        counted(report.of_kind(Kind::NoEquivalent).count(), "feature") + " without an equivalent",
        counted(report.of_kind(Kind::Check).count(), "item") + " to check",
    ];
    format!(
        "Written to {}: {}\nLeft to do: {}\nRead {} next.\n",
        folder.display(),
        written.join(", "),
        left.join(", "),
        folder.join("REPORT.md").display()
    )
}

pub(super) fn markdown(report: &Report) -> String {
    let mut text = "# Import from Pipedream\n\n".to_owned();
    let counts = report.counts;
    line(
        &mut text,
        &format!(
            "This folder has {}, {}, {}, {} and {}. The sections below list the manual work. Events, logs, the stored state of sources and \
             the content of data stores are not moved: a source that polls may emit items again that Pipedream has emitted.\n",
            counted(counts.components, "component"),
            counted(counts.sources, "source"),
            counted(counts.workflows, "workflow"),
            counted(counts.webhooks, "webhook"),
            counted(counts.subscriptions, "subscription"),
        ),
    );
    registry(&mut text, report);
    accounts(&mut text, report);
    secrets(&mut text, report);
    findings(&mut text, report);
    endpoints(&mut text, report);
    next_steps(&mut text, report);
    text
}

fn registry(text: &mut String, report: &Report) {
    if report.registry.is_empty() {
        return;
    }
    heading(text, "Components of the registry");
    line(
        text,
        "The server needs these components in its registry. Its operator imports them from a checkout of their repository. The newest version \
         is used; versions are not pinned.\n",
    );
    for (key, users) in &report.registry {
        line(text, &format!("- `{}`: {}", code(key), joined(users)));
    }
    text.push('\n');
}

fn accounts(text: &mut String, report: &Report) {
    if !report.accounts.is_empty() {
        heading(text, "Accounts to connect");
        line(
            text,
            "| app | name | id at Pipedream | used by |\n|---|---|---|---|",
        );
        for (id, account) in &report.accounts {
            let AccountUse {
                name, app, used_by, ..
            } = account;
            let cells = [cell(app), cell(name), cell(id), joined(used_by)];
            line(text, &format!("| {} |", cells.join(" | ")));
        }
        text.push('\n');
    }
    let in_documents: Vec<_> = report
        .accounts
        .iter()
        .filter(|(_, account)| !account.documents.is_empty())
        .collect();
    if !in_documents.is_empty() {
        line(
            text,
            "Sources find their accounts by app and name. Workflows refer to accounts by id, and still have the ids of Pipedream. Replace \
             them with the ids that `sluice accounts` shows, in the files or with `--account OLD=NEW` in another import:\n",
        );
        for (id, account) in in_documents {
            line(
                text,
                &format!("- `{}`: {}", code(id), joined(&account.documents)),
            );
        }
        text.push('\n');
    }
    if !report.unused_accounts.is_empty() {
        let names = joined(&report.unused_accounts);
        line(
            text,
            &format!("Nothing in this folder uses these accounts: {names}.\n"),
        );
    }
}

fn secrets(text: &mut String, report: &Report) {
    if report.secrets.is_empty() {
        return;
    }
    heading(text, "Secrets to enter");
    line(
        text,
        "Pipedream does not give the values of secrets. Write them to a file outside of this folder, and use it with `--secrets-file`, or set \
         environment variables of these names.\n",
    );
    for (name, users) in &report.secrets {
        line(text, &format!("- `{}`: {}", code(name), joined(users)));
    }
    line(text, "\n```yaml");
    for name in report.secrets.keys() {
        line(text, &format!("{}: \"\"", code(name)));
    }
    line(text, "```\n");
}

fn findings(text: &mut String, report: &Report) {
    for (kind, title) in [
        (Kind::NotImported, "Not imported"),
        (Kind::NoEquivalent, "Without an equivalent"),
        (Kind::Check, "To check"),
    ] {
        if report.of_kind(kind).next().is_none() {
            continue;
        }
        heading(text, title);
        for finding in report.of_kind(kind) {
            line(
                text,
                &format!("- **{}**: {}", plain(&finding.place), plain(&finding.text)),
            );
        }
        text.push('\n');
    }
    if !report.files().is_empty() {
        let note = "The originals of steps and documents that need work are in the folder";
        line(
            text,
            &format!("{note} `{ORIGINALS}`, which `sluice apply` ignores.\n"),
        );
    }
}

fn endpoints(text: &mut String, report: &Report) {
    if report.endpoints.is_empty() {
        return;
    }
    heading(text, "Addresses that change");
    line(
        text,
        "Each of these gets a new address on the server. Enter it wherever the old one is registered. `sluice describe` and \
         `sluice workflows describe` show it.\n",
    );
    for (place, old) in &report.endpoints {
        line(text, &format!("- {}: {}", plain(place), joined(old)));
    }
    text.push('\n');
}

fn next_steps(text: &mut String, report: &Report) {
    heading(text, "Next steps");
    line(text, "In this folder:\n");
    if !report.registry.is_empty() {
        let apps: Vec<&str> = report.apps().into_iter().collect();
        line(
            text,
            &format!(
                "    sluice registry import CHECKOUT --app {}",
                apps.join(",")
            ),
        );
    }
    for account in report.accounts.values() {
        let (app, name) = (quoted(&account.app), quoted(&account.name));
        line(
            text,
            &format!("    sluice accounts connect {app} --name {name}"),
        );
    }
    let file = if report.secrets.is_empty() {
        ""
    } else {
        " --secrets-file ../secrets.yaml"
    };
    line(text, &format!("    sluice apply . --dry-run{file}"));
    line(text, &format!("    sluice apply .{file}"));
}

fn heading(text: &mut String, title: &str) {
    line(text, &format!("## {title}\n"));
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a string succeeds");
}

fn joined(items: &BTreeSet<String>) -> String {
    let items: Vec<String> = items.iter().map(|item| cell(item)).collect();
    items.join(", ")
}

/// Foreign text on one line, without markup.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for character in text.chars().take(MAX_TEXT_CHARS) {
        match character {
            '\n' | '\t' | '\r' => plain.push(' '),
            character if character.is_control() => {}
            '*' | '_' | '[' | ']' | '<' | '#' | '\\' => plain.extend(['\\', character]),
            _ => plain.push(character),
        }
    }
    plain
}

fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}

/// Foreign text between backticks.
fn code(text: &str) -> String {
    let is_allowed = |character: &char| !character.is_control() && *character != '`';
    text.chars().filter(is_allowed).collect()
}

/// An argument for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if !text.is_empty() && !text.starts_with('-') && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
