//! `sluice workflows test`

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::value::{RawValue, to_raw_value};
use sluice_api::{TestWorkflow, Workflow, WorkflowTest};
use sluice_model::slugify;

use super::{
    target::{find, look_up},
    test_text::test_text,
};
use crate::{
    client::Client,
    commands::{
        common::Common,
        event_arg::parse_event,
        output::{counted, show, show_json, show_stderr},
        sample_event,
        secrets::{self, SecretsFile},
        workflow_files::{WorkflowFiles, error_line},
    },
};

const EXAMPLES: &str = "\
Examples:
  sluice workflows test orders.yaml
  sluice workflows test orders.yaml --step load --event '{\"body\": {\"id\": 7}}'
  sluice workflows test orders.yaml --step notify --only --run last
  sluice workflows test --workflow orders --step notify --run 2FZ8vXW1Y3kQ9mB7nC5dE4fG6hJ";

/// Test steps of a workflow without deploying it
///
/// Runs all steps, or those up to --step, in the sandbox of the server, and shows the inputs, exports, logs and sends of each. The
/// document is that in FILE, or the current version of --workflow. The test creates no run. Pauses are shown, not waited for. The
/// exit code of a failed test is 1.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TestOptions {
    /// Document of the workflow, in YAML or JSON
    #[arg(value_name = "FILE", required_unless_present = "workflow")]
    file: Option<PathBuf>,
    /// Workflow whose secrets and runs the test uses [default: the workflow with the name in the document, if it exists]
    #[arg(long, value_name = "ID|SLUG")]
    workflow: Option<String>,
    /// Last step to run [default: the last step of the document]
    #[arg(long, value_name = "NAME")]
    step: Option<String>,
    /// Run this step alone. Earlier steps have the exports of --run and --exports
    #[arg(long, requires = "step")]
    only: bool,
    /// Event: JSON, @FILE for a file with JSON, or - for standard input [default: the event of --run, or else {}]
    #[arg(long, value_name = "JSON|@FILE|-")]
    event: Option<String>,
    /// Use the sample event of the first source that triggers the workflow
    #[arg(long, conflicts_with = "event")]
    sample: bool,
    /// Use the event of this run, and with --only the exports of its steps
    #[arg(long = "run", value_name = "ID|last")]
    from_run: Option<String>,
    /// Exports of an earlier step, which does not run then: a JSON object, or @FILE
    #[arg(long, value_name = "STEP=JSON|STEP=@FILE")]
    exports: Vec<String>,
    /// Send HTTP requests, mail and S3 objects of the steps, which are only shown otherwise
    #[arg(long)]
    send: bool,
    /// Value of a secret [default: the environment variable with this name]
    #[arg(long = "secret", value_name = "NAME[=VALUE]")]
    secrets: Vec<String>,
    #[command(flatten)]
    secrets_file: SecretsFile,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn test(options: TestOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let files = match &options.file {
        None => None,
        Some(file) => match WorkflowFiles::read(file).await {
            Ok(files) => Some(files),
            Err(errors) => return failed(&errors),
        },
    };
    let workflow = workflow_of(&client, &options, files.as_ref()).await?;
    let name = options.file.as_ref().map(|file| file.display().to_string());
    let request = request(&client, &options, files, workflow).await?;
    let test: WorkflowTest = match client.post("/workflows/test", &request).await {
        Ok(test) => test,
        Err(error) => match (error.document_errors(), &options.file) {
            (Some(errors), Some(file)) => {
                let lines = errors.iter().map(|error| error_line(file, error));
                return failed(&lines.collect::<Vec<_>>());
            }
            _ => return Err(error.into()),
        },
    };
    if options.common.json {
        show_json(&test)?;
    } else {
        show(&test_text(&test, name.as_deref().unwrap_or("document")))?;
    }
    Ok(if test.error.is_none() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn workflow_of(
    client: &Client,
    options: &TestOptions,
    files: Option<&WorkflowFiles>,
) -> anyhow::Result<Option<Workflow>> {
    match (&options.workflow, files) {
        (Some(id_or_slug), _) => Ok(Some(find(client, id_or_slug).await?)),
        (None, Some(files)) => Ok(look_up(client, &slugify(&files.document.name)).await?),
        (None, None) => Ok(None),
    }
}

async fn request(
    client: &Client,
    options: &TestOptions,
    files: Option<WorkflowFiles>,
    workflow: Option<Workflow>,
) -> anyhow::Result<TestWorkflow> {
    let event = match &options.event {
        Some(event) => Some(to_raw_value(&parse_event(event)?)?),
        None if options.sample => Some(to_raw_value(&sample(client, workflow.as_ref()).await?)?),
        None => None,
    };
    let mut secrets = options.secrets_file.read()?;
    secrets.extend(secrets::from_flags(&options.secrets)?);
    let (document, files) = files.map(|read| (read.text, read.files)).unzip();
    Ok(TestWorkflow {
        workflow: workflow.map(|workflow| workflow.id.to_string()),
        document,
        files,
        secrets: Some(secrets),
        step: options.step.clone(),
        only: Some(options.only),
        event,
        from_run: options.from_run.clone(),
        exports: Some(exports(&options.exports)?),
        send: Some(options.send),
    })
}

async fn sample(client: &Client, workflow: Option<&Workflow>) -> anyhow::Result<serde_json::Value> {
    let Some(workflow) = workflow else {
        bail!("--sample needs a deployed workflow, whose triggers name the source");
    };
    sample_event::for_workflow(client, workflow).await
}

/// `load={"$return_value": 1}`, `load=@load.json`
fn exports(flags: &[String]) -> anyhow::Result<BTreeMap<String, Box<RawValue>>> {
    let one = |flag: &String| {
        let (step, json) = flag
            .split_once('=')
            .with_context(|| format!("--exports {flag} has no value: write STEP=JSON"))?;
        let value = parse_event(json).with_context(|| format!("--exports of {step}"))?;
        Ok((step.to_owned(), to_raw_value(&value)?))
    };
    flags.iter().map(one).collect()
}

fn failed(errors: &[String]) -> anyhow::Result<ExitCode> {
    let count = counted(errors.len(), "error");
    show_stderr(&format!(
        "{}\n{count}, nothing was tested\n",
        errors.join("\n")
    ))?;
    Ok(ExitCode::FAILURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_named_json() {
        let flags = ["load={\"$return_value\": \"a=b\"}".to_owned()];
        let exports = exports(&flags).unwrap();
        assert_eq!(exports["load"].get(), r#"{"$return_value":"a=b"}"#);
        assert!(super::exports(&["load".to_owned()]).is_err());
        assert!(super::exports(&["load={".to_owned()]).is_err());
    }
}
