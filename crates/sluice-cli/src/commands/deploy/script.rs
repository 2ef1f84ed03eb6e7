//! A plain script that runs on a schedule.

use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};
use sluice_code::{detect_language, scheduled_script};
use sluice_model::CodeError;

use crate::commands::code::Code;
use crate::{
    client::Client,
    commands::{
        code,
        component::{self, ComponentName, SavedComponent},
        error_location::with_location,
    },
};

const HEADING: &str = "Scripts on a schedule";

#[derive(Debug, Args)]
pub(super) struct ScriptArgs {
    /// Run a plain script on a schedule
    #[arg(long, help_heading = HEADING, requires = "run", requires = "schedule")]
    timer: bool,
    /// Schedule as a cron expression in UTC
    #[arg(long, help_heading = HEADING, value_name = "EXPRESSION", requires = "timer", group = "schedule")]
    cron: Option<String>,
    /// Schedule as an interval, such as 15s, 30m or 2h
    #[arg(long, help_heading = HEADING, value_name = "INTERVAL", requires = "timer", group = "schedule", value_parser = humantime::parse_duration)]
    frequency: Option<std::time::Duration>,
    /// Script to run: a file or a URL
    #[arg(long, help_heading = HEADING, value_name = "FILE|URL", requires = "timer")]
    run: Option<String>,
}

impl ScriptArgs {
    pub(super) fn is_given(&self) -> bool {
        self.timer
    }

    pub(super) async fn resolve(&self, client: &Client) -> anyhow::Result<SavedComponent> {
        let script_name = self.run.as_deref().unwrap_or_default();
        let schedule = self.schedule();
        let wrapped = |script: &str, language| {
            scheduled_script(script, language, file_stem(script_name), &schedule)
                .map_err(|errors| error_lines(script_name, &errors))
        };
        let code = match ComponentName::parse(script_name) {
            ComponentName::Url(url) => {
                let script = fetch(&url).await?;
                let text = wrapped(&script, detect_language(&script));
                text.map(|text| Code { text, files: None })
            }
            // The component has the imports of the script.
            ComponentName::File(_) | ComponentName::Key(_) => {
                let module = code::read_transformed(Path::new(script_name), wrapped).await?;
                module.map(|module| module.code)
            }
        };
        let code = match code {
            Ok(code) => code,
            Err(errors) => bail!("{}", errors.join("\n")),
        };
        let saved = component::save(client, &code.to_create()).await;
        saved.map_err(|error| with_location(Path::new(script_name), error))
    }

    fn schedule(&self) -> Value {
        match (&self.cron, self.frequency) {
            (Some(cron), _) => json!({ "cron": cron }),
            (None, Some(interval)) => json!({ "intervalSeconds": interval.as_secs() }),
            (None, None) => Value::Null,
        }
    }
}

async fn fetch(url: &str) -> anyhow::Result<String> {
    let cannot = || format!("cannot fetch {url}");
    let address = sluice_app::raw_address(reqwest::Url::parse(url).with_context(cannot)?);
    let response = reqwest::get(address).await.with_context(cannot)?;
    let response = response.error_for_status().with_context(cannot)?;
    response.text().await.with_context(cannot)
}

fn file_stem(name: &str) -> &str {
    let end = name.rsplit('/').next().unwrap_or(name);
    let end = end.split(['?', '#']).next().unwrap_or(end);
    let stem = end.split('.').next().unwrap_or(end);
    if stem.is_empty() { "script" } else { stem }
}

fn error_lines(file: &str, errors: &[CodeError]) -> Vec<String> {
    errors.iter().map(|error| error.located(file)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_the_name_of_its_file() {
        for (name, stem) in [
            ("a/b/check.js", "check"),
            ("https://x/y/job.test.mjs?z=1", "job"),
            ("https://x/", "script"),
        ] {
            assert_eq!(file_stem(name), stem);
        }
    }
}
