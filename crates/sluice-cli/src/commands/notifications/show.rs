//! `sluice notifications show`

use clap::Args;
use sluice_api::{NotificationSettings, NotificationState, SentNotification};

use crate::commands::{
    common::Common,
    output::{BAD, GOOD, duration, fields, local_time, sanitized, show, show_json, styled},
};

pub(super) const PATH: &str = "/users/me/notifications";

/// Show where you are notified of failures, and of what
#[derive(Debug, Args)]
pub(crate) struct ShowOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn show_settings(options: ShowOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let settings: NotificationSettings = client.get(PATH).await?;
    print(&settings, options.common.json)
}

/// Shows settings, with the secret if it is new.
pub(super) fn print(settings: &NotificationSettings, json: bool) -> anyhow::Result<()> {
    if json {
        return show_json(settings);
    }
    let mut lines = vec![
        ("mail", mail(settings)),
        ("webhook", webhook(settings)),
        ("reports", reports(settings)),
        (
            "after",
            format!(
                "{} failures in a row, webhooks after {}",
                settings.failures,
                duration(settings.webhook_seconds.saturating_mul(1_000))
            ),
        ),
        (
            "quiet for",
            duration(settings.quiet_seconds.saturating_mul(1_000)),
        ),
    ];
    let last = [
        ("last mail", &settings.last_mail),
        ("last request", &settings.last_webhook),
    ];
    let last = last
        .into_iter()
        .filter_map(|(name, sent)| Some((name, outcome(sent.as_ref()?))));
    lines.extend(last);
    let secret = settings.signing_secret.clone();
    lines.extend(secret.map(|secret| ("secret", secret)));
    Ok(show(&fields(&lines))?)
}

fn mail(settings: &NotificationSettings) -> String {
    match (settings.mail, settings.mail_available) {
        (false, _) => "off".to_owned(),
        (true, true) => settings.mail_address.clone(),
        (true, false) => "on, but this server sends no mail".to_owned(),
    }
}

fn webhook(settings: &NotificationSettings) -> String {
    let url = settings.webhook_url.clone();
    url.unwrap_or_else(|| "off".to_owned())
}

fn reports(settings: &NotificationSettings) -> String {
    let kinds = [
        ("sources", settings.sources),
        ("workflows", settings.workflows),
        ("webhooks", settings.webhooks),
    ];
    let on: Vec<&str> = kinds
        .into_iter()
        .filter_map(|(name, on)| on.then_some(name))
        .collect();
    if on.is_empty() {
        "nothing".to_owned()
    } else {
        on.join(", ")
    }
}

fn outcome(sent: &SentNotification) -> String {
    let state = match sent.state {
        NotificationState::Pending => "pending".to_owned(),
        NotificationState::Sent => styled(GOOD, "sent"),
        NotificationState::Failed => styled(BAD, "failed"),
    };
    let result = sent.result.as_deref().map(sanitized);
    let result = result.map(|text| format!(": {text}")).unwrap_or_default();
    format!("{state} {}{result}", local_time(sent.updated_at))
}
