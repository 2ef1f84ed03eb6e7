//! `sluice unpublish`

use clap::Args;
use serde_json::json;

use super::{
    ask::Confirmation,
    common::Common,
    output::{show, show_json},
};
use crate::{client::escaped, exit::NotFound};

/// An optional word before the key.
const COMPONENT: &str = "component";
const EXAMPLES: &str = "\
Examples:
  sluice unpublish acme-new-order
  sluice unpublish component acme-new-order --yes
  sluice unpublish acme-new-order --server";

/// Unpublish all versions of a component
///
/// Sources that were deployed from it keep running.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, override_usage = "sluice unpublish [OPTIONS] [component] <KEY>")]
pub(crate) struct UnpublishOptions {
    /// Key of the component
    #[arg(value_name = "KEY", required = true, num_args = 1..=2)]
    key: Vec<String>,
    /// Unpublish from the registry of the server (operator only)
    #[arg(long)]
    server: bool,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn unpublish(options: UnpublishOptions) -> anyhow::Result<()> {
    let key = match options.key.as_slice() {
        [key] => key,
        [word, key] if word == COMPONENT => key,
        words => anyhow::bail!("unexpected argument {} before the key", words[0]),
    };
    let client = options.common.connection.client()?;
    let question = format!("Unpublish all versions of {key}?");
    options
        .confirmation
        .require(question, options.common.json)
        .await?;
    let scope = if options.server {
        "registry"
    } else {
        "published"
    };
    let path = format!("/components/{scope}/{}", escaped(key));
    client.delete(&path).await.map_err(|error| {
        if error.is_not_found() {
            return NotFound(format!(
                "no published component {key}: list them with `sluice list {scope}`"
            ))
            .into();
        }
        anyhow::Error::from(error)
    })?;
    if options.common.json {
        return show_json(&json!({ "unpublished": key }));
    }
    Ok(show(&format!("Unpublished {key}\n"))?)
}
