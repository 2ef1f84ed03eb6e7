//! A plain script that runs on a schedule.

use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};
use sluice_api::CreateComponent;
use sluice_code::{CodeError, detect_language, scheduled_script};

use crate::{
    client::Client,
    commands::{
        code,
        component::{self, ComponentName, Known},
    },
};

const HEADING: &str = "Scripts on a schedule";

#[derive(Debug, Args)]
pub(super) struct ScriptFlags {
    /// Run a plain script on a schedule
    #[arg(long, help_heading = HEADING, requires = "run", requires = "schedule")]
    timer: bool,
    /// When to run it, as a cron expression in UTC
    #[arg(long, help_heading = HEADING, value_name = "EXPRESSION", requires = "timer", group = "schedule")]
    cron: Option<String>,
    /// How often to run it, such as 15s, 30m or 2h
    #[arg(long, help_heading = HEADING, value_name = "INTERVAL", requires = "timer", group = "schedule", value_parser = humantime::parse_duration)]
    frequency: Option<std::time::Duration>,
    /// The script: a file, or an address
    #[arg(long, help_heading = HEADING, value_name = "FILE|URL", requires = "timer")]
    run: Option<String>,
}

impl ScriptFlags {
    pub(super) fn is_given(&self) -> bool {
        self.timer
    }

    pub(super) async fn known(&self, client: &Client) -> anyhow::Result<Known> {
        let named = self.run.as_deref().unwrap_or_default();
        let schedule = self.schedule();
        let wrapped = |script: &str, language| {
            scheduled_script(script, language, file_stem(named), &schedule)
                .map_err(|faults| in_words(named, &faults))
        };
        let code = match ComponentName::parse(named) {
            ComponentName::Url(url) => {
                let script = fetched(&url).await?;
                wrapped(&script, detect_language(&script))
            }
            // What the script imports is joined into the component.
            ComponentName::File(_) | ComponentName::Key(_) => {
                let module = code::read_changed(Path::new(named), wrapped).await?;
                module.map(|module| module.sent())
            }
        };
        let code = match code {
            Ok(code) => code,
            Err(faults) => bail!("{}", faults.join("\n")),
        };
        let new = CreateComponent {
            component_code: Some(code),
            ..CreateComponent::default()
        };
        component::save(client, &new).await
    }

    fn schedule(&self) -> Value {
        match (&self.cron, self.frequency) {
            (Some(cron), _) => json!({ "cron": cron }),
            (None, Some(interval)) => json!({ "intervalSeconds": interval.as_secs() }),
            (None, None) => Value::Null,
        }
    }
}

async fn fetched(url: &str) -> anyhow::Result<String> {
    let cannot = || format!("cannot fetch {url}");
    let address = sluice_app::raw_address(reqwest::Url::parse(url).with_context(cannot)?);
    let response = reqwest::get(address).await.with_context(cannot)?;
    let response = response.error_for_status().with_context(cannot)?;
    response.text().await.with_context(cannot)
}

fn file_stem(named: &str) -> &str {
    let end = named.rsplit('/').next().unwrap_or(named);
    let end = end.split(['?', '#']).next().unwrap_or(end);
    let stem = end.split('.').next().unwrap_or(end);
    if stem.is_empty() { "script" } else { stem }
}

fn in_words(named: &str, faults: &[CodeError]) -> Vec<String> {
    let lines = faults.iter().map(|fault| match (fault.line, fault.column) {
        (Some(line), Some(column)) => format!("{named}:{line}:{column}: {}", fault.message),
        _ => format!("{named}: {}", fault.message),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_called_by_its_file() {
        for (named, stem) in [
            ("a/b/check.js", "check"),
            ("https://x/y/job.test.mjs?z=1", "job"),
            ("https://x/", "script"),
        ] {
            assert_eq!(file_stem(named), stem);
        }
    }
}
