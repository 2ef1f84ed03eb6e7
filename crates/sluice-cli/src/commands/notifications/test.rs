//! `sluice notifications test`

use anyhow::bail;
use clap::Args;
use serde_json::json;
use sluice_api::{NotificationTest, NotificationTestResult};

use super::show::PATH;
use crate::commands::{
    common::Common,
    output::{BAD, GOOD, fields, sanitized, show, show_json, styled},
};

/// Send a test notification now, and show the result
///
/// It is not retried. When it is not sent, the exit status is 1.
#[derive(Debug, Args)]
pub(crate) struct TestOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn test(options: TestOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let path = format!("{PATH}/test");
    let test: NotificationTest = client.post(&path, &json!({})).await?;
    let results = [("mail", &test.mail), ("webhook", &test.webhook)];
    if options.common.json {
        show_json(&test)?;
    } else {
        let lines: Vec<(&str, String)> = results
            .into_iter()
            .map(|(name, result)| (name, text(result.as_ref())))
            .collect();
        show(&fields(&lines))?;
    }
    let failed = |result: &Option<NotificationTestResult>| {
        result.as_ref().is_some_and(|result| !result.sent)
    };
    if results.into_iter().any(|(_, result)| failed(result)) {
        bail!("the test notification was not sent");
    }
    Ok(())
}

fn text(result: Option<&NotificationTestResult>) -> String {
    let Some(NotificationTestResult { sent, result }) = result else {
        return "off".to_owned();
    };
    let state = if *sent {
        styled(GOOD, "sent")
    } else {
        styled(BAD, "failed")
    };
    format!("{state}: {}", sanitized(result))
}
