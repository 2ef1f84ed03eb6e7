//! `sluice rotate-key`

use clap::Args;
use serde_json::json;
use sluice_api::RotatedKey;

use super::{replace_in_profiles, user_of};
use crate::{
    client::config::Config,
    commands::{
        ask::Agreement,
        common::Common,
        output::{complain, show, show_json},
    },
};

/// Give yourself a new API key, and print it; the old one is worth nothing from then on
///
/// It takes the place of the old one in your profiles. You are signed out of the console.
#[derive(Debug, Args)]
pub(crate) struct RotateKeyOptions {
    #[command(flatten)]
    agreement: Agreement,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn rotate_key(options: RotateKeyOptions) -> anyhow::Result<()> {
    let Common { json, connection } = options.common;
    let client = connection.client()?;
    // A file with a mistake is told before there is a key that it should hold.
    Config::load()?;
    let (_, username, _) = user_of(&client).await?;
    let question = format!("Make the key of {username} worthless?");
    options.agreement.to(question, json).await?;
    let rotated: RotatedKey = client.post("/users/me/rotate_key", &json!({})).await?;
    if json {
        show_json(&rotated)?;
    } else {
        show(&format!("{}\n", rotated.api_key))?;
    }
    if !replace_in_profiles(&client, &rotated.api_key)? {
        complain("No profile has the old key: keep the new one where you keep it\n")?;
    }
    Ok(())
}
