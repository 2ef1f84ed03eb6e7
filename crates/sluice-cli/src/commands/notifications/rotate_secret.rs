//! `sluice notifications rotate-secret`

use clap::Args;
use serde_json::json;
use sluice_api::NotificationSettings;

use super::show::{PATH, print};
use crate::commands::common::Common;

/// Replace the secret that signs notifications, and print the new one
///
/// For 24 hours notifications are signed with both secrets.
#[derive(Debug, Args)]
pub(crate) struct RotateSecretOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn rotate_secret(options: RotateSecretOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let path = format!("{PATH}/rotate_secret");
    let settings: NotificationSettings = client.post(&path, &json!({})).await?;
    print(&settings, options.common.json)
}
