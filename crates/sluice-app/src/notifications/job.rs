//! The job that writes notifications into the outbox.
//!
//! One node does it for all. Two that do it at the same time write one message: the settings of the user are locked, and the
//! state of each subject changes in the transaction that stores the message.

use std::{sync::Arc, time::Duration};

use sluice_infra::{ClockWatch, Infra};
use sluice_model::{EmitterId, UserId, WebhookId};
use sluice_outbox::Outbox;
use sluice_store::{
    Conn, StoreError, emitters,
    notification_settings::{self, NotificationSettings, Pace},
    sends,
    server_clock::AT_ONCE,
    subject_health::{self, SubjectHealth},
    users::{self, User},
    webhooks,
};

use super::{
    message::{Item, LISTED, Message},
    recipients::{Recipients, send},
    verdict::{Kind, Verdict, verdict},
};

/// Failures of one cause are seen together.
const PERIOD: Duration = Duration::from_secs(5);
/// Users of one pass.
const USERS: u32 = 200;
/// Subjects of one message.
const SUBJECTS: u32 = 10_000;
/// Between the first two messages to a user. The pauses between further ones double.
const SHORTEST_PAUSE_MS: i64 = 60_000;
const LONGEST_PAUSE_MS: i64 = 3_600_000;

/// Writes notifications. One for each server.
#[derive(Clone)]
pub struct Notifier {
    infra: Infra,
    outbox: Outbox,
    clock_watch: Arc<ClockWatch>,
}

impl Notifier {
    pub fn new(infra: &Infra, outbox: Outbox) -> Notifier {
        Notifier {
            infra: infra.clone(),
            outbox,
            clock_watch: Arc::default(),
        }
    }

    /// Runs until the server drains.
    pub(crate) async fn run(self) {
        let shutdown = self.infra.shutdown.clone();
        while !shutdown.is_draining() {
            if self.infra.cluster.does_job("notifications")
                && let Err(error) = self.pass().await
            {
                tracing::warn!(%error, "notifications not written; retrying later");
            }
            shutdown.sleep(PERIOD).await;
        }
    }

    /// Writes the messages that are due.
    pub async fn pass(&self) -> Result<(), StoreError> {
        let now = self.infra.now_ms();
        if self.clock_watch.needs_correction(now) {
            let clamp = move |c: &mut dyn Conn| subject_health::clamp(c, now);
            self.infra.store.write(clamp).await?;
            self.clock_watch.corrected();
        }
        let find = move |c: &mut dyn Conn| subject_health::users_due(c, now, USERS);
        for user in self.infra.store.read(find).await? {
            let infra = self.infra.clone();
            let notify = move |c: &mut dyn Conn| notify(c, &infra, &user, now);
            if self.infra.store.write(notify).await? {
                self.outbox.wake_sends(AT_ONCE);
            }
        }
        Ok(())
    }
}

/// Looks at the subjects of a user that are due. Returns whether a message was stored.
fn notify(c: &mut dyn Conn, infra: &Infra, user: &UserId, now: i64) -> Result<bool, StoreError> {
    let Some(user) = users::get(c, user)? else {
        subject_health::settle_user(c, user, now)?;
        return Ok(false);
    };
    let settings = notification_settings::hold(c, &user.id)?;
    let recipients = Recipients::new(infra, &user, &settings);
    if recipients.kinds().is_empty() {
        subject_health::settle_user(c, &user.id, now)?;
        return Ok(false);
    }
    let pace = notification_settings::pace(c, &user.id)?;
    if let Some(next) = wait(pace, now) {
        subject_health::postpone(c, &user.id, now, next)?;
        return Ok(false);
    }
    let subjects = subject_health::take_due(c, &user.id, now, SUBJECTS)?;
    let changed = settle(c, &subjects, &settings, now)?;
    let (items, gone) = items(c, &user.id, &changed)?;
    let total = changed.len() - gone;
    if items.is_empty() {
        return Ok(false);
    }
    let message = Message {
        at: now,
        items: &items,
        total,
        username: &user.username,
        public_url: &infra.settings.public_url,
    };
    store(c, infra, &user, &recipients, &message)?;
    notification_settings::set_pace(c, &user.id, next_pace(pace, now))?;
    Ok(true)
}

/// The end of the pause after the last message. A pause longer than the longest one was set by a clock that was set back.
fn wait(pace: Pace, now: i64) -> Option<i64> {
    let left = pace.next_message_at.saturating_sub(now);
    (1..=LONGEST_PAUSE_MS)
        .contains(&left)
        .then_some(pace.next_message_at)
}

/// The pause after a message. It doubles while messages follow one another.
fn next_pace(pace: Pace, now: i64) -> Pace {
    let follows = now.saturating_sub(pace.next_message_at) < pace.pause_ms;
    let pause_ms = if follows {
        pace.pause_ms.saturating_mul(2).min(LONGEST_PAUSE_MS)
    } else {
        SHORTEST_PAUSE_MS
    };
    Pace {
        next_message_at: now.saturating_add(pause_ms),
        pause_ms,
    }
}

/// Decides about each subject. Returns those that the message is about: first those that fail.
fn settle<'a>(
    c: &mut dyn Conn,
    subjects: &'a [SubjectHealth],
    settings: &NotificationSettings,
    now: i64,
) -> Result<Vec<&'a SubjectHealth>, StoreError> {
    let rules = &settings.rules;
    let verdicts: Vec<(&SubjectHealth, Verdict)> = subjects
        .iter()
        .map(|subject| (subject, verdict(subject, rules, now)))
        .collect();
    let with = |wanted: Verdict| {
        let matching = verdicts
            .iter()
            .filter(move |(_, verdict)| *verdict == wanted);
        matching.map(|(subject, _)| *subject).collect::<Vec<_>>()
    };
    let ids = |wanted| {
        with(wanted)
            .into_iter()
            .map(|it| it.id.as_str())
            .collect::<Vec<_>>()
    };
    let (delay_ms, quiet_ms) = (
        rules.webhook_seconds.saturating_mul(1_000),
        rules.quiet_seconds.saturating_mul(1_000),
    );
    subject_health::settle(c, &ids(Verdict::Settle))?;
    subject_health::remove(c, &ids(Verdict::Forget))?;
    subject_health::wait_for_failing(c, &ids(Verdict::WaitForFailing), now, delay_ms)?;
    subject_health::wait_for_quiet(c, &ids(Verdict::WaitForQuiet), now, quiet_ms)?;
    subject_health::report(c, &ids(Verdict::ReportFailing), true, now, quiet_ms)?;
    subject_health::report(c, &ids(Verdict::ReportRecovered), false, now, quiet_ms)?;
    let mut changed = with(Verdict::ReportFailing);
    changed.extend(with(Verdict::ReportRecovered));
    Ok(changed)
}

/// The subjects that the message lists, and how many of the others do not exist any more.
fn items(
    c: &mut dyn Conn,
    user: &UserId,
    changed: &[&SubjectHealth],
) -> Result<(Vec<Item>, usize), StoreError> {
    let mut items = Vec::new();
    let mut gone = 0;
    for subject in changed {
        if items.len() == LISTED {
            break;
        }
        if let Some(item) = item(c, user, subject)? {
            items.push(item);
        } else {
            subject_health::remove(c, &[&subject.id])?;
            gone += 1;
        }
    }
    Ok((items, gone))
}

fn item(
    c: &mut dyn Conn,
    user: &UserId,
    subject: &SubjectHealth,
) -> Result<Option<Item>, StoreError> {
    let Some(kind) = Kind::of(&subject.id) else {
        return Ok(None);
    };
    let name = match kind {
        Kind::Webhook => webhook_name(c, user, &subject.id)?,
        Kind::Source | Kind::Workflow => emitter_name(c, &subject.id)?,
    };
    let Some(name) = name else {
        return Ok(None);
    };
    Ok(Some(Item {
        kind,
        id: subject.id.clone(),
        name,
        failures: subject.failures,
        failing_since: subject.failing_since,
        recovered_at: subject.recovered_at,
        error: subject_health::error(c, &subject.id)?.unwrap_or_default(),
    }))
}

fn webhook_name(c: &mut dyn Conn, user: &UserId, id: &str) -> Result<Option<String>, StoreError> {
    let Some(id) = WebhookId::parse(id) else {
        return Ok(None);
    };
    let webhook = webhooks::get(c, user, &id)?;
    Ok(webhook.map(|webhook| webhook.name.unwrap_or(webhook.url)))
}

fn emitter_name(c: &mut dyn Conn, id: &str) -> Result<Option<String>, StoreError> {
    let Some(id) = EmitterId::parse(id) else {
        return Ok(None);
    };
    let names = emitters::names(c, std::slice::from_ref(&id))?;
    Ok(names.into_values().next().map(|named| named.name))
}

fn store(
    c: &mut dyn Conn,
    infra: &Infra,
    user: &User,
    recipients: &Recipients,
    message: &Message<'_>,
) -> Result<(), StoreError> {
    for kind in recipients.kinds() {
        let (id, payload) = (infra.ids.emit(), message.payload(kind));
        sends::insert(c, &send(id, &user.id, kind, message.at, payload))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_follow_one_another_come_at_growing_distances() {
        let mut pace = Pace::default();
        let mut pauses = Vec::new();
        let mut now = 1_000_000_000;
        for _ in 0..8 {
            pace = next_pace(pace, now);
            assert_eq!(wait(pace, now), Some(pace.next_message_at));
            pauses.push(pace.pause_ms / SHORTEST_PAUSE_MS);
            now = pace.next_message_at + 5_000;
            assert_eq!(wait(pace, now), None);
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(
            next_pace(pace, now + LONGEST_PAUSE_MS).pause_ms,
            SHORTEST_PAUSE_MS
        );
    }

    #[test]
    fn a_clock_that_was_set_back_far_ends_the_pause() {
        let pace = next_pace(Pace::default(), 1_000_000_000);
        assert_eq!(wait(pace, 1_000_000_000 - LONGEST_PAUSE_MS), None);
    }
}
