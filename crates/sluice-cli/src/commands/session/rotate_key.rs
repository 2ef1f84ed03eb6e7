//! `sluice rotate-key`

use clap::Args;
use serde_json::json;
use sluice_api::RotatedKey;

use super::profile::{replace_key_in_profiles, user_of};
use crate::{
    client::config::Config,
    commands::{
        ask::Confirmation,
        common::Common,
        output::{show, show_json, show_stderr},
    },
};

/// Replace your API key and print the new one
///
/// The old key stops working at once. It is replaced in your profiles, and you are signed out of the console.
#[derive(Debug, Args)]
pub(crate) struct RotateKeyOptions {
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn rotate_key(options: RotateKeyOptions) -> anyhow::Result<()> {
    let Common { json, connection } = options.common;
    let client = connection.client()?;
    // Fail before the rotation if the file is invalid: the new key could not be saved.
    Config::load()?;
    let (_, username, _) = user_of(&client).await?;
    let question = format!("Revoke the API key of {username}?");
    options.confirmation.require(question, json).await?;
    let rotated: RotatedKey = client.post("/users/me/rotate_key", &json!({})).await?;
    if json {
        show_json(&rotated)?;
    } else {
        show(&format!("{}\n", rotated.api_key))?;
    }
    if !replace_key_in_profiles(&client, &rotated.api_key)? {
        show_stderr("No profile has the old key: save the new one yourself\n")?;
    }
    Ok(())
}
