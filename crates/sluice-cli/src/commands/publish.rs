//! `sluice publish`

use std::{path::Path, process::ExitCode};

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};
use sluice_api::Component;

use super::{
    code::read_module,
    common::Common,
    error_location::with_location,
    output::{GOOD, show, show_json, styled},
};
use crate::exit;

const EXAMPLES: &str = "\
Examples:
  sluice publish new-order.mjs
  sluice publish https://github.com/you/components/blob/main/new-order.mjs
  sluice publish new-order.mjs --server";

/// Publish a component under its key
///
/// A published component can be deployed by its key. It needs a `key` and a `version`, with --server a semantic one. A version can be published
/// only once. With --json the command prints the component, or `{"error": "…"}`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct PublishOptions {
    /// Component file, with its imports, or the URL of one
    #[arg(value_name = "FILE|URL")]
    file: String,
    /// Publish to the registry, for all users of the server (operator only)
    #[arg(long)]
    server: bool,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn publish(options: PublishOptions) -> anyhow::Result<ExitCode> {
    let published = send(&options).await;
    match published {
        Ok(component) if options.common.json => show_json(&component)?,
        Ok(component) => {
            let key = component.key.unwrap_or_default();
            let version = component.version;
            let done = styled(GOOD, "Published");
            show(&format!("{done} {key} {version}\n"))?;
        }
        Err(error) if options.common.json => {
            show_json(&json!({ "error": format!("{error:#}") }))?;
            return Ok(exit::code_of(&error));
        }
        Err(error) => return Err(error),
    }
    Ok(ExitCode::SUCCESS)
}

async fn send(options: &PublishOptions) -> anyhow::Result<Component> {
    let client = options.common.connection.client()?;
    let body = body(&options.file).await?;
    let path = if options.server {
        "/components/registry"
    } else {
        "/components/published"
    };
    client.post(path, &body).await.map_err(|error| {
        if error.is_not_found() && options.server {
            return anyhow::anyhow!(
                "only the operator can publish to the registry of the server: omit --server to publish to your account"
            );
        }
        with_location(Path::new(&options.file), error.into())
    })
}

async fn body(file: &str) -> anyhow::Result<Value> {
    if file.starts_with("http://") || file.starts_with("https://") {
        return Ok(json!({ "component_url": file }));
    }
    match read_module(Path::new(file)).await? {
        Ok(module) => Ok(serde_json::to_value(module.code.to_create())?),
        Err(errors) => bail!("{}", errors.join("\n")),
    }
}
