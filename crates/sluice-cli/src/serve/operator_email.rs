//! The email address of the first user: from the settings, or the answer of a person at the terminal.

use std::{
    io::{self, BufRead, IsTerminal},
    thread,
    time::Duration,
};

use rustix::{process::getpgrp, termios::tcgetpgrp};
use sluice_app::{PLACEHOLDER_EMAIL, Users};
use sluice_infra::Infra;
use sluice_server::StartProgress;
use sluice_store::{Store, users};
use tokio::sync::mpsc;

use crate::options::operator_email::parse;

/// A terminal where nobody is, as some containers have, must not hold up the start for ever.
const PATIENCE: Duration = Duration::from_mins(2);
const QUESTION: &str =
    "\n  Your email address, for mail of your workflows ($.send.email). Press Enter to skip: ";

/// The given address, or one that is asked for before the first user is created.
pub(super) async fn find(
    given: Option<&str>,
    store: &Store,
    progress: &StartProgress,
) -> anyhow::Result<Option<String>> {
    if let Some(given) = given {
        return Ok(Some(given.to_owned()).filter(|email| !email.is_empty()));
    }
    if !is_attended() || store.read(|c| users::count(c)).await? > 0 {
        return Ok(None);
    }
    progress.waiting_for_answer(true);
    let answer = tokio::time::timeout(PATIENCE, ask(lines())).await;
    progress.waiting_for_answer(false);
    let Ok(answer) = answer else {
        eprintln!("\n  No answer. The server starts without an address.");
        return Ok(None);
    };
    Ok(answer)
}

/// Warns if mail can be sent, but not to the operator.
pub(super) async fn warn_of_placeholder(infra: &Infra, users: &Users) -> anyhow::Result<()> {
    if infra.settings.sends.smtp.is_some() && users.has_placeholder_email().await? {
        tracing::warn!(
            address = PLACEHOLDER_EMAIL,
            "mail to the operator goes nowhere; set the address with `sluice users update --email ADDRESS`"
        );
    }
    Ok(())
}

/// Whether a person can answer. A process in the background is stopped when it reads from its terminal.
fn is_attended() -> bool {
    let input = io::stdin();
    let is_in_foreground = tcgetpgrp(&input).is_ok_and(|group| group == getpgrp());
    input.is_terminal() && io::stderr().is_terminal() && is_in_foreground
}

/// The lines of standard input, read on a thread that ends with the process.
fn lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Asks until there is an answer. An empty line, or the end of the input, is none.
async fn ask(mut lines: mpsc::Receiver<String>) -> Option<String> {
    loop {
        eprint!("{QUESTION}");
        let line = lines.recv().await?;
        match parse(&line) {
            Ok(email) => return Some(email).filter(|email| !email.is_empty()),
            Err(reason) => eprintln!("  This is no email address: {reason}."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answer(text: &[&str]) -> Option<String> {
        let (sender, receiver) = mpsc::channel(text.len().max(1));
        for line in text {
            sender.send((*line).to_owned()).await.unwrap();
        }
        drop(sender);
        ask(receiver).await
    }

    #[tokio::test]
    async fn the_question_is_repeated_until_there_is_an_address_or_nothing() {
        let email = Some("ada@example.com".to_owned());
        assert_eq!(answer(&["ada@example.com"]).await, email);
        assert_eq!(answer(&["ada", " ada@example.com "]).await, email);
        assert_eq!(answer(&["ada", ""]).await, None);
        assert_eq!(answer(&[]).await, None);
    }
}
