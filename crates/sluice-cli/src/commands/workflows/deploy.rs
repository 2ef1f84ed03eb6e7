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
        output::{GOOD, complain, counted, fields, show, show_json, styled},
        secrets::{self, SecretsFile},
        workflow_files::{WorkflowFiles, mistake},
    },
};

/// Deploy a document: as a new version when there is a workflow of its name, else as a new workflow
///
/// Files that steps name or import are sent along. A document that is deployed already makes no new version.
#[derive(Debug, Args)]
pub(crate) struct DeployOptions {
    /// The workflow in YAML or JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Deploy to this workflow, whatever its name
    #[arg(long, value_name = "ID|SLUG")]
    workflow: Option<String>,
    /// Value of a secret; without a value, that of the environment variable of this name
    #[arg(long = "secret", value_name = "NAME[=VALUE]")]
    secrets: Vec<String>,
    #[command(flatten)]
    secrets_file: SecretsFile,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Serialize)]
struct Deployed {
    outcome: Outcome,
    workflow: Workflow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Created,
    Updated,
    /// Only values of secrets are new.
    Secrets,
    Unchanged,
}

pub(super) async fn deploy(options: DeployOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let files = match WorkflowFiles::read(&options.file).await {
        Ok(files) => files,
        Err(mistakes) => return refused(&mistakes),
    };
    let mut secrets = options.secrets_file.read()?;
    secrets.extend(secrets::from_flags(&options.secrets)?);
    let existing = match &options.workflow {
        Some(id_or_slug) => Some(find(&client, id_or_slug).await?),
        None => look_up(&client, &slugify(&files.document.name)).await?,
    };
    let running = match &existing {
        Some(workflow) => Some(running_version(&client, workflow).await?),
        None => None,
    };
    ask_for_secrets(&files, running.as_ref(), &mut secrets)?;
    match send(&client, &files, existing, running, secrets).await {
        Ok(deployed) => {
            if options.common.json {
                show_json(&deployed)?;
            } else {
                show(&told(&deployed))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => match error.document_mistakes() {
            Some(mistakes) => {
                let told = mistakes.iter().map(|found| mistake(&options.file, found));
                refused(&told.collect::<Vec<_>>())
            }
            None => Err(error.into()),
        },
    }
}

async fn send(
    client: &Client,
    files: &WorkflowFiles,
    existing: Option<Workflow>,
    running: Option<WholeWorkflowVersion>,
    secrets: BTreeMap<String, String>,
) -> Result<Deployed, ClientError> {
    let secrets = (!secrets.is_empty()).then_some(secrets);
    let is_deployed = running
        .is_some_and(|running| running.document == files.text && running.files == files.files);
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
    Ok(Deployed { outcome, workflow })
}

async fn running_version(
    client: &Client,
    workflow: &Workflow,
) -> Result<WholeWorkflowVersion, ClientError> {
    let path = format!("/workflows/{}/versions/{}", workflow.id, workflow.version);
    client.get(&path).await
}

/// Asks whoever is there for the secrets that nobody gave and that the running version does not have. With nobody there, the
/// server says what is missing.
fn ask_for_secrets(
    files: &WorkflowFiles,
    running: Option<&WholeWorkflowVersion>,
    secrets: &mut BTreeMap<String, String>,
) -> anyhow::Result<()> {
    let before = running.and_then(|running| parse(&running.document).ok());
    let is_stored = |name: &String| {
        before
            .as_ref()
            .is_some_and(|(document, _)| document.env.get(name) == Some(&EnvValue::Secret))
    };
    if !io::stdin().is_terminal() {
        return Ok(());
    }
    for (name, value) in &files.document.env {
        if *value == EnvValue::Secret && !secrets.contains_key(name) && !is_stored(name) {
            let given = rpassword::prompt_password(format!("Value of the secret {name}: "))?;
            secrets.insert(name.clone(), given);
        }
    }
    Ok(())
}

fn refused(mistakes: &[String]) -> anyhow::Result<ExitCode> {
    let count = counted(mistakes.len(), "mistake");
    complain(&format!(
        "{}\n{count}, nothing was deployed\n",
        mistakes.join("\n")
    ))?;
    Ok(ExitCode::FAILURE)
}

fn told(deployed: &Deployed) -> String {
    let Deployed { outcome, workflow } = deployed;
    let slug = &workflow.name_slug;
    let first = match outcome {
        Outcome::Created => format!("{} {slug}", styled(GOOD, "Created")),
        Outcome::Updated => format!("{} {slug}", styled(GOOD, "Deployed")),
        Outcome::Secrets => format!("The secrets of {slug} are new, its version is not"),
        Outcome::Unchanged => format!("Nothing has changed in {slug}"),
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
