//! Runs a page from its beginning to its end.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use sluice_testkit::Api;

use super::{
    code,
    expected::is_as_shown,
    markdown::{Block, Kind, Page},
    session::{Ended, Session},
};

/// How long commands run again until their output is the one that the page shows.
const EVENTUALLY: Duration = Duration::from_secs(30);

/// The last commands, with their output.
struct Last<'a> {
    commands: &'a str,
    output: String,
}

/// Runs all blocks of a page in `folder`. The error names the block. Without `api`, components and workflows are not checked.
pub(crate) async fn run(
    page: &Page,
    session: &mut Session,
    api: Option<&Api>,
    folder: &Path,
) -> Result<(), String> {
    if !page.errors.is_empty() {
        return Err(page.errors.join("\n"));
    }
    let mut last = Last {
        commands: "",
        output: String::new(),
    };
    for block in &page.blocks {
        let result = match &block.kind {
            Kind::Include(file, other) => include(file, &folder.join(other), session),
            _ => step(block, session, api, &mut last).await,
        };
        let located = |error| format!("line {}: {error}\n{}", block.line, block.text);
        result.map_err(located)?;
    }
    Ok(())
}

async fn step<'a>(
    block: &'a Block,
    session: &mut Session,
    api: Option<&Api>,
    last: &mut Last<'a>,
) -> Result<(), String> {
    match &block.kind {
        Kind::Shell => {
            let output = succeeded(session.run(&block.text).await)?;
            *last = Last {
                commands: &block.text,
                output,
            };
        }
        Kind::Unseen => {
            succeeded(session.run(&block.text).await)?;
        }
        Kind::ShellUntil(text) => {
            for line in block.text.lines() {
                let output = session.run_until(line, text).await?;
                session.interrupt(output.process).await;
                *last = Last {
                    commands: line,
                    output: output.text,
                };
            }
        }
        Kind::ShellInBackground(text) => {
            session.run_until(&block.text, text).await?;
        }
        Kind::Where(text, command) => {
            let value = succeeded(session.run(command).await)?;
            session.replace(text, value.trim());
        }
        Kind::File(name) => {
            let text = session.localized(&block.text);
            fs::write(session.folder().join(name), text).map_err(|error| error.to_string())?;
        }
        Kind::Output { eventually: false } => compare(block, session, &last.output)?,
        Kind::Output { eventually: true } => wait_for_output(block, session, last).await?,
        Kind::Other(info) => code::check(info, &block.text, &session.folder(), api).await?,
        Kind::External | Kind::Include(..) => {}
    }
    Ok(())
}

/// Writes a file that another page has.
fn include(file: &str, page: &Path, session: &Session) -> Result<(), String> {
    let page = fs::read_to_string(page).map_err(|error| error.to_string())?;
    let page = Page::parse(&page);
    let text = page.file(file).ok_or("the page has no such file")?;
    let text = session.localized(text);
    fs::write(session.folder().join(file), text).map_err(|error| error.to_string())
}

fn succeeded(ended: Ended) -> Result<String, String> {
    let Ended { succeeded, output } = ended;
    if succeeded {
        Ok(output)
    } else {
        Err(format!("a command failed:\n{output}"))
    }
}

fn compare(block: &Block, session: &Session, output: &str) -> Result<(), String> {
    let output = session.as_on_the_page(output);
    if is_as_shown(&block.text, &output) {
        Ok(())
    } else {
        Err(format!("the output is not the one below:\n{output}"))
    }
}

async fn wait_for_output(
    block: &Block,
    session: &mut Session,
    last: &Last<'_>,
) -> Result<(), String> {
    let mut result = compare(block, session, &last.output);
    let start = Instant::now();
    while result.is_err() && start.elapsed() < EVENTUALLY {
        let output = succeeded(session.run(last.commands).await)?;
        result = compare(block, session, &output);
    }
    result
}
