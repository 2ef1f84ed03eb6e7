//! `sluice users rotate-key`

use clap::Args;
use serde_json::json;
use sluice_api::RotatedKey;

use super::target::Target;
use crate::commands::{
    ask::Agreement,
    common::Common,
    output::{show, show_json},
    session,
};

/// Give a user a new API key, and print it; the old one is worth nothing from then on
///
/// The user is signed out of the console. Your own key is replaced in your profiles too.
#[derive(Debug, Args)]
pub(crate) struct RotateKeyOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    agreement: Agreement,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn rotate_key(options: RotateKeyOptions) -> anyhow::Result<()> {
    let json = options.common.json;
    let client = options.common.connection.client()?;
    let user = options.target.find(&client).await?;
    let question = format!("Make the key of {} worthless?", user.username);
    options.agreement.to(question, json).await?;
    let path = format!("/users/{}/rotate_key", user.id);
    let rotated: RotatedKey = client.post(&path, &json!({})).await?;
    if json {
        show_json(&rotated)?;
    } else {
        show(&format!("{}\n", rotated.api_key))?;
    }
    if user.operator {
        // The operator is who asks, so the key that was used is the old one.
        session::replace_in_profiles(&client, &rotated.api_key)?;
    }
    Ok(())
}
