//! `sluice workflows deploy`

use std::{
    collections::BTreeMap,
    io::{self, IsTerminal},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;
use serde::Serialize;
use sluice_api::{DeployWorkflow, WholeWorkflowVersion, Workflow};
use sluice_model::{
    slugify,
    workflow::{EnvValue, parse},
};

use super::{
    describe::triggers,
    target::{find, look_up},
};
use crate::{
    client::{Client, ClientError},
    commands::{
        common::Common,
        output::{GOOD, counted, fields, show, show_json, show_stderr, styled},
        secrets::{self, SecretsFile},
        workflow_files::{WorkflowFiles, error_line},
    },
};

/// Deploy a workflow from a file
///
/// If a workflow with this name exists, it gets a new version. Otherwise a new workflow is created. The files that steps name or
/// import are sent too. An unchanged document creates no new version. With --json the command prints the workflow, with one more
/// field `outcome`: created, updated, secrets or unchanged.
#[derive(Debug, Args)]
pub(crate) struct DeployOptions {
    /// Document of the workflow, in YAML or JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Deploy to this workflow [default: the workflow with the name in the document]
    #[arg(long, value_name = "ID|SLUG")]
    workflow: Option<String>,
    /// Value of a secret [default: the environment variable with this name]
    #[arg(long = "secret", value_name = "NAME[=VALUE]")]
    secrets: Vec<String>,
    #[command(flatten)]
    secrets_file: SecretsFile,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Serialize)]
struct Deployment {
    outcome: Outcome,
    #[serde(flatten)]
    workflow: Workflow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Created,
    Updated,
    /// Only secrets changed.
    Secrets,
    Unchanged,
}

pub(super) async fn deploy(options: DeployOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let files = match WorkflowFiles::read(&options.file).await {
        Ok(files) => files,
        Err(errors) => return failed(&errors),
    };
    let mut secrets = options.secrets_file.read()?;
    secrets.extend(secrets::from_flags(&options.secrets)?);
    let existing = match &options.workflow {
        Some(id_or_slug) => Some(find(&client, id_or_slug).await?),
        None => look_up(&client, &slugify(&files.document.name)).await?,
    };
    let deployed = match &existing {
        Some(workflow) => Some(deployed_version(&client, workflow).await?),
        None => None,
    };
    ask_for_secrets(&files, deployed.as_ref(), &mut secrets)?;
    match send(&client, &files, existing, deployed, secrets).await {
        Ok(deployment) => {
            if options.common.json {
                show_json(&deployment)?;
            } else {
                show(&summary(&deployment))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => match error.document_errors() {
            Some(errors) => {
                let lines = errors.iter().map(|error| error_line(&options.file, error));
                failed(&lines.collect::<Vec<_>>())
            }
            None => Err(error.into()),
        },
    }
}

async fn send(
    client: &Client,
    files: &WorkflowFiles,
    existing: Option<Workflow>,
    deployed: Option<WholeWorkflowVersion>,
    secrets: BTreeMap<String, String>,
) -> Result<Deployment, ClientError> {
    let secrets = (!secrets.is_empty()).then_some(secrets);
    let is_deployed = deployed
        .is_some_and(|version| version.document == files.text && version.files == files.files);
    let outcome = match (&existing, is_deployed, &secrets) {
        (None, _, _) => Outcome::Created,
        (Some(_), false, _) => Outcome::Updated,
        (Some(_), true, Some(_)) => Outcome::Secrets,
        (Some(_), true, None) => Outcome::Unchanged,
    };
    let body = DeployWorkflow {
        document: (!is_deployed).then(|| files.text.clone()),
        files: (!is_deployed).then(|| files.files.clone()),
        secrets,
        active: None,
    };
    let workflow = match existing {
        None => client.post("/workflows", &body).await?,
        Some(workflow) if outcome == Outcome::Unchanged => workflow,
        Some(workflow) => {
            let path = format!("/workflows/{}", workflow.id);
            client.put(&path, &body).await?
        }
    };
    Ok(Deployment { outcome, workflow })
}

async fn deployed_version(
    client: &Client,
    workflow: &Workflow,
) -> Result<WholeWorkflowVersion, ClientError> {
    let path = format!("/workflows/{}/versions/{}", workflow.id, workflow.version);
    client.get(&path).await
}

/// On a terminal, asks for secrets that are neither given nor stored. Otherwise the server reports missing secrets.
fn ask_for_secrets(
    files: &WorkflowFiles,
    deployed: Option<&WholeWorkflowVersion>,
    secrets: &mut BTreeMap<String, String>,
) -> anyhow::Result<()> {
    let previous = deployed.and_then(|version| parse(&version.document).ok());
    let is_stored = |name: &String| {
        previous
            .as_ref()
            .is_some_and(|(document, _)| document.env.get(name) == Some(&EnvValue::Secret))
    };
    if !io::stdin().is_terminal() {
        return Ok(());
    }
    for (name, value) in &files.document.env {
        if *value == EnvValue::Secret && !secrets.contains_key(name) && !is_stored(name) {
            let secret = rpassword::prompt_password(format!("Value of the secret {name}: "))?;
            secrets.insert(name.clone(), secret);
        }
    }
    Ok(())
}

fn failed(errors: &[String]) -> anyhow::Result<ExitCode> {
    let count = counted(errors.len(), "error");
    show_stderr(&format!(
        "{}\n{count}, nothing was deployed\n",
        errors.join("\n")
    ))?;
    Ok(ExitCode::FAILURE)
}

fn summary(deployment: &Deployment) -> String {
    let Deployment { outcome, workflow } = deployment;
    let slug = &workflow.name_slug;
    let first = match outcome {
        Outcome::Created => format!("{} {slug}", styled(GOOD, "Created")),
        Outcome::Updated => format!("{} {slug}", styled(GOOD, "Deployed")),
        Outcome::Secrets => format!("Updated the secrets of {slug}, without a new version"),
        Outcome::Unchanged => format!("{slug} is unchanged"),
    };
    let mut lines = vec![
        ("id", workflow.id.to_string()),
        ("version", workflow.version.to_string()),
    ];
    lines.extend(triggers(workflow));
    if !workflow.active {
        lines.push(("state", "inactive".to_owned()));
    }
    format!("{first}\n{}", fields(&lines))
}
