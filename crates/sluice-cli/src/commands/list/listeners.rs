//! Webhooks and subscriptions.

use sluice_api::{Subscription, Webhook};

use crate::{
    client::Client,
    commands::{
        output::{local_time, show_list},
        webhooks::status,
    },
};

const NO_WEBHOOKS: &str = "No webhooks: create one with `sluice webhooks create URL`";
const NO_SUBSCRIPTIONS: &str =
    "No subscriptions: create one with `sluice subscribe EMITTER LISTENER`";

pub(super) async fn webhooks(client: &Client, json: bool) -> anyhow::Result<()> {
    let webhooks: Vec<Webhook> = client.all("/users/me/webhooks").await?;
    let header = ["ID", "NAME", "STATUS", "CHANGED", "URL"];
    show_list(&webhooks, json, &header, NO_WEBHOOKS, |webhook| {
        vec![
            webhook.id.to_string(),
            webhook.name.clone().unwrap_or_else(|| "-".to_owned()),
            status(&webhook.health),
            local_time(webhook.updated_at * 1000),
            webhook.url.clone(),
        ]
    })
}

pub(super) async fn subscriptions(client: &Client, json: bool) -> anyhow::Result<()> {
    let subscriptions: Vec<Subscription> = client.get("/users/me/subscriptions").await?;
    let header = ["ID", "EMITTER", "CHANNEL", "LISTENER"];
    show_list(&subscriptions, json, &header, NO_SUBSCRIPTIONS, |item| {
        let channel = match item.event_name.as_str() {
            "" => "default",
            name => name,
        };
        vec![
            item.id.to_string(),
            item.emitter_id.clone(),
            channel.to_owned(),
            item.listener_id.clone(),
        ]
    })
}
