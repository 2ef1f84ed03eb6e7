//! `sluice users rotate-key`

use clap::Args;
use serde_json::json;
use sluice_api::RotatedKey;

use super::target::Target;
use crate::commands::{
    ask::Confirmation,
    common::Common,
    output::{show, show_json},
    session,
};

/// Replace the API key of a user and print the new one
///
/// The old key stops working at once, and the user is signed out of the console. If the key is your own, it is replaced in
/// your profiles too.
#[derive(Debug, Args)]
pub(crate) struct RotateKeyOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn rotate_key(options: RotateKeyOptions) -> anyhow::Result<()> {
    let json = options.common.json;
    let client = options.common.connection.client()?;
    let user = options.target.find(&client).await?;
    let (own_id, ..) = session::user_of(&client).await?;
    let question = format!("Revoke the API key of {}?", user.username);
    options.confirmation.require(question, json).await?;
    let path = format!("/users/{}/rotate_key", user.id);
    let rotated: RotatedKey = client.post(&path, &json!({})).await?;
    if json {
        show_json(&rotated)?;
    } else {
        show(&format!("{}\n", rotated.api_key))?;
    }
    if user.id.as_str() == own_id {
        // The client has the old key.
        session::replace_key_in_profiles(&client, &rotated.api_key)?;
    }
    Ok(())
}
