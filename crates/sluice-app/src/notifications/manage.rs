//! The settings of a user's notifications.

use sluice_engine::{EngineError, MAX_THRESHOLD};
use sluice_infra::Infra;
use sluice_model::{TextChange, is_mail_address};
use sluice_outbox::{NetGuard, Outbox};
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    notification_settings::{self, NotificationSettings, NotificationWebhook, Rules},
    sends::{
        SendKind,
        notifications::{self, SentNotification},
    },
    subject_health,
    users::{self, User},
    webhooks::PreviousSecret,
};

use super::{changed_fields::describe, recipients::Recipients};
use crate::{
    audit::{Actor, Change, Target},
    detached,
    webhooks::{NewSecret, OLD_SECRET_SIGNS_FOR_MS, address_error},
};

const MAX_WEBHOOK_SECONDS: i64 = 86_400;
const MIN_QUIET_SECONDS: i64 = 60;
const MAX_QUIET_SECONDS: i64 = 604_800;

/// The settings with their effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationView {
    /// Whether the user wants mail.
    pub mail: bool,
    /// The address that was set.
    pub mail_to: Option<String>,
    /// The address that mail goes to.
    pub mail_address: String,
    /// Whether the server can send mail.
    pub mail_available: bool,
    pub webhook_url: Option<String>,
    pub rules: Rules,
    pub last_mail: Option<SentNotification>,
    pub last_webhook: Option<SentNotification>,
    /// Present only when it is new.
    pub signing_secret: Option<String>,
}

/// Fields that are `None` stay unchanged.
#[derive(Debug, Clone, Default)]
pub struct NotificationChange {
    pub mail: Option<bool>,
    pub mail_to: TextChange,
    pub webhook_url: TextChange,
    pub sources: Option<bool>,
    pub workflows: Option<bool>,
    pub webhooks: Option<bool>,
    pub failures: Option<u64>,
    pub webhook_seconds: Option<i64>,
    pub quiet_seconds: Option<i64>,
}

/// Manages the settings of users, and sends test messages.
#[derive(Clone)]
pub struct Notifications {
    pub(super) infra: Infra,
    pub(super) outbox: Outbox,
}

impl Notifications {
    pub fn new(infra: &Infra, outbox: Outbox) -> Notifications {
        Notifications {
            infra: infra.clone(),
            outbox,
        }
    }

    pub async fn get(&self, user: &User) -> Result<NotificationView, EngineError> {
        let (infra, user) = (self.infra.clone(), user.clone());
        let read = move |c: &mut dyn Conn| {
            let settings = notification_settings::get(c, &user.id)?;
            view(c, &infra, &user, settings, None)
        };
        Ok(self.infra.store.read(read).await?)
    }

    /// A webhook gets its secret with its address, and keeps it when the address changes. What fails now is reported by the new
    /// settings.
    pub async fn update(
        &self,
        actor: &Actor,
        user: &User,
        change: NotificationChange,
    ) -> Result<NotificationView, EngineError> {
        let guard = NetGuard::new(self.infra.settings.allow_private_network);
        check(&change, guard)?;
        let new = NewSecret::random(&self.infra.vault, &mut self.infra.ids.rng());
        let recorded = self.recorded(actor, Action::NotificationUpdate, user);
        self.change(user, recorded, move |settings| {
            let shown = set_webhook(settings, change.webhook_url, new);
            change.mail_to.apply(&mut settings.mail_to);
            settings.mail = change.mail.or(settings.mail);
            let rules = &mut settings.rules;
            *rules = Rules {
                sources: change.sources.unwrap_or(rules.sources),
                workflows: change.workflows.unwrap_or(rules.workflows),
                webhooks: change.webhooks.unwrap_or(rules.webhooks),
                failures: change.failures.unwrap_or(rules.failures),
                webhook_seconds: change.webhook_seconds.unwrap_or(rules.webhook_seconds),
                quiet_seconds: change.quiet_seconds.unwrap_or(rules.quiet_seconds),
            };
            Some(shown)
        })
        .await
    }

    /// Gives the webhook a new secret. The old one also signs for a day.
    pub async fn rotate_secret(
        &self,
        actor: &Actor,
        user: &User,
    ) -> Result<NotificationView, EngineError> {
        let new = NewSecret::random(&self.infra.vault, &mut self.infra.ids.rng());
        let until = self.infra.now_ms() + OLD_SECRET_SIGNS_FOR_MS;
        let recorded = self.recorded(actor, Action::NotificationRotateSecret, user);
        self.change(user, recorded, move |settings| {
            let webhook = settings.webhook.as_mut()?;
            let secret = std::mem::replace(&mut webhook.secret, new.sealed);
            webhook.previous = Some(PreviousSecret { secret, until });
            Some(Some(new.shown))
        })
        .await
    }

    fn recorded(&self, actor: &Actor, action: Action, user: &User) -> Change {
        let target = Target::new(TargetKind::User, &user.id, &user.username);
        Change::new(&self.infra, actor, action, target)
    }

    /// Changes the settings. `change` returns the secret to show, or nothing when there is no webhook to change.
    async fn change(
        &self,
        user: &User,
        mut recorded: Change,
        change: impl FnOnce(&mut NotificationSettings) -> Option<Option<String>> + Send + 'static,
    ) -> Result<NotificationView, EngineError> {
        let (infra, row) = (self.infra.clone(), user.clone());
        let now = self.infra.now_ms();
        let write = move |c: &mut dyn Conn| {
            // A user who is removed at the same time leaves no settings.
            users::hold(c, &row.id)?;
            let mut settings = notification_settings::hold(c, &row.id)?;
            let before = settings.clone();
            let Some(secret) = change(&mut settings) else {
                return Ok(None);
            };
            notification_settings::save(c, &row.id, &settings)?;
            describe(&mut recorded, &before, &settings);
            recorded.record(c)?;
            subject_health::make_due(c, &row.id, now)?;
            view(c, &infra, &row, settings, secret).map(Some)
        };
        // Messages that wait must see a stored change even if the client disconnects.
        let (store, outbox) = (self.infra.store.clone(), self.outbox.clone());
        let user = user.id.clone();
        let view = detached::run(&self.infra.shutdown, async move {
            let view = store.write(write).await?;
            outbox.notification_settings_changed(&user);
            Ok(view)
        });
        let none =
            || EngineError::BadRequest("set webhook_url first: there is no secret".to_owned());
        view.await?.ok_or_else(none)
    }
}

/// Changes the address of the webhook. Returns the secret of a new one.
fn set_webhook(
    settings: &mut NotificationSettings,
    url: TextChange,
    new: NewSecret,
) -> Option<String> {
    match (url, &mut settings.webhook) {
        (TextChange::Keep, _) => None,
        (TextChange::Clear, webhook) => {
            *webhook = None;
            None
        }
        (TextChange::Set(url), Some(webhook)) => {
            webhook.url = url;
            None
        }
        (TextChange::Set(url), webhook @ None) => {
            *webhook = Some(NotificationWebhook {
                url,
                secret: new.sealed,
                previous: None,
            });
            Some(new.shown)
        }
    }
}

fn view(
    c: &mut dyn Conn,
    infra: &Infra,
    user: &User,
    settings: NotificationSettings,
    signing_secret: Option<String>,
) -> Result<NotificationView, StoreError> {
    let recipients = Recipients::new(infra, user, &settings);
    Ok(NotificationView {
        mail: recipients.mail,
        mail_to: settings.mail_to,
        mail_address: recipients.address,
        mail_available: recipients.can_mail,
        webhook_url: settings.webhook.map(|webhook| webhook.url),
        rules: settings.rules,
        last_mail: notifications::last(c, &user.id, SendKind::NotificationEmail)?,
        last_webhook: notifications::last(c, &user.id, SendKind::NotificationWebhook)?,
        signing_secret,
    })
}

fn check(change: &NotificationChange, guard: NetGuard) -> Result<(), EngineError> {
    let url_error = match &change.webhook_url {
        TextChange::Set(url) => address_error(url, guard).map(|error| format!("webhook_{error}")),
        TextChange::Keep | TextChange::Clear => None,
    };
    let mail_error = match &change.mail_to {
        TextChange::Set(address) if !is_mail_address(address) => {
            Some("mail_to must be one email address".to_owned())
        }
        _ => None,
    };
    let failures = change
        .failures
        .map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let longest_streak = i64::try_from(MAX_THRESHOLD).unwrap_or(i64::MAX);
    let error = url_error
        .or(mail_error)
        .or_else(|| out_of_range("failures", failures, 1, longest_streak))
        .or_else(|| {
            let (name, seconds) = ("webhook_seconds", change.webhook_seconds);
            out_of_range(name, seconds, 0, MAX_WEBHOOK_SECONDS)
        })
        .or_else(|| {
            let (name, seconds) = ("quiet_seconds", change.quiet_seconds);
            out_of_range(name, seconds, MIN_QUIET_SECONDS, MAX_QUIET_SECONDS)
        });
    error.map_or(Ok(()), |error| Err(EngineError::BadRequest(error)))
}

fn out_of_range(name: &str, value: Option<i64>, min: i64, max: i64) -> Option<String> {
    value
        .filter(|value| !(min..=max).contains(value))
        .map(|_| format!("{name} must be from {min} to {max}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_field() {
        let error = |change: NotificationChange| {
            check(&change, NetGuard::new(true)).unwrap_err().to_string()
        };
        let url = error(NotificationChange {
            webhook_url: TextChange::Set("ftp://x".to_owned()),
            ..NotificationChange::default()
        });
        assert_eq!(url, "webhook_url must begin with http:// or https://");
        let failures = error(NotificationChange {
            failures: Some(0),
            ..NotificationChange::default()
        });
        assert_eq!(failures, "failures must be from 1 to 100");
        let quiet = error(NotificationChange {
            quiet_seconds: Some(59),
            ..NotificationChange::default()
        });
        assert_eq!(quiet, "quiet_seconds must be from 60 to 604800");
    }
}
