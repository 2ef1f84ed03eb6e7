//! `sluice unpublish`

use clap::Args;
use serde_json::json;

use super::{
    ask::Agreement,
    common::Common,
    output::{show, show_json},
};
use crate::{client::escaped, exit::NotFound};

/// May stand before the key.
const COMPONENT: &str = "component";
const EXAMPLES: &str = "\
Examples:
  sluice unpublish acme-new-order
  sluice unpublish component acme-new-order --yes
  sluice unpublish acme-new-order --server";

/// Take all versions of a component back
///
/// What was deployed from them goes on running.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, override_usage = "sluice unpublish [OPTIONS] [component] <KEY>")]
pub(crate) struct UnpublishOptions {
    /// Key of the component
    #[arg(value_name = "KEY", required = true, num_args = 1..=2)]
    key: Vec<String>,
    /// Take it out of the registry of the whole server; only the operator may
    #[arg(long)]
    server: bool,
    #[command(flatten)]
    agreement: Agreement,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn unpublish(options: UnpublishOptions) -> anyhow::Result<()> {
    let key = match options.key.as_slice() {
        [key] => key,
        [word, key] if word == COMPONENT => key,
        words => anyhow::bail!(
            "only `component` may stand before the key, not {}",
            words[0]
        ),
    };
    let client = options.common.connection.client()?;
    let question = format!("Take back all versions of {key}?");
    options.agreement.to(question, options.common.json).await?;
    let shelf = if options.server {
        "registry"
    } else {
        "published"
    };
    let path = format!("/components/{shelf}/{}", escaped(key));
    client.delete(&path).await.map_err(|error| {
        if error.is_not_found() {
            return NotFound(format!(
                "nothing is published as {key}: `sluice list {shelf}` shows what is"
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
