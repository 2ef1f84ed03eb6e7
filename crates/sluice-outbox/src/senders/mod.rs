//! The senders. A new one is a file here and a line in [`SendSenders::new`].

mod email;
mod http;
mod notification;
mod s3;
mod webhook;

use std::sync::Arc;

use sluice_infra::Infra;
use sluice_store::sends::{SendKind, SendRow};

pub(crate) use self::webhook::WebhookSender;
use self::{email::EmailSender, http::HttpSender, notification::NotificationSender, s3::S3Sender};
use crate::{
    error::OutboxError,
    net_guard::NetGuard,
    sender::{Disabled, Sender},
};

/// The sender of each kind of send.
pub(crate) struct SendSenders {
    http: Arc<dyn Sender<SendRow>>,
    email: Arc<dyn Sender<SendRow>>,
    s3: Arc<dyn Sender<SendRow>>,
    notification: Arc<dyn Sender<SendRow>>,
    none: Arc<dyn Sender<SendRow>>,
}

impl SendSenders {
    pub(crate) fn new(infra: &Infra, guard: NetGuard) -> Result<SendSenders, OutboxError> {
        let settings = &infra.settings.sends;
        let clock = Arc::clone(&infra.clock);
        Ok(SendSenders {
            http: Arc::new(HttpSender::new(
                guard,
                settings.http_timeout,
                clock,
                infra.traces.clone(),
            )?),
            email: match &settings.smtp {
                Some(smtp) => Arc::new(EmailSender::new(smtp, infra.store.clone())?),
                None => disabled("this server sends no mail: --smtp-url is not set"),
            },
            s3: match &settings.s3 {
                Some(s3) => Arc::new(S3Sender::new(s3)?),
                None => disabled("this server writes to no S3: --s3-endpoint is not set"),
            },
            notification: Arc::new(NotificationSender::new(
                guard,
                infra.settings.webhook_timeout,
                Arc::clone(&infra.clock),
                infra.store.clone(),
                infra.vault.clone(),
            )?),
            none: disabled("it should have become an event"),
        })
    }

    #[cfg(test)]
    pub(crate) fn set_http(&mut self, sender: Arc<dyn Sender<SendRow>>) {
        self.http = sender;
    }

    pub(crate) fn of(&self, kind: SendKind) -> &Arc<dyn Sender<SendRow>> {
        match kind {
            SendKind::Http => &self.http,
            SendKind::Email | SendKind::NotificationEmail => &self.email,
            SendKind::S3 => &self.s3,
            SendKind::NotificationWebhook => &self.notification,
            SendKind::Emit | SendKind::Sse => &self.none,
        }
    }
}

fn disabled(reason: &'static str) -> Arc<dyn Sender<SendRow>> {
    Arc::new(Disabled(reason))
}
