//! `$.send.email` and notifications: mail to the owner of the workflow or the account, over the operator's SMTP server.

use std::{error::Error, time::Duration};

use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, MultiPart, SinglePart},
    transport::smtp,
};
use serde::Deserialize;
use sluice_infra::SmtpSettings;
use sluice_model::UserId;
use sluice_store::{
    BatchLimit, Conn, Store, StoreError, notification_settings,
    sends::{SendKind, SendRow},
    users,
};

use crate::{
    error::OutboxError,
    row::Outcome,
    sender::{Attempt, NOTHING, Sender},
    strategy::{Refill, Slot, SlowPeers, Strategy},
};

/// For one command of the SMTP session.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);
/// For the whole session.
const TIMEOUT: Duration = Duration::from_secs(30);
const MAX_BYTES: usize = 10 * 1024 * 1024;
const MAX_SUBJECT_CHARACTERS: usize = 500;

pub(crate) struct EmailSender {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    store: Store,
}

/// The parameters of the call.
#[derive(Deserialize)]
struct Order {
    #[serde(default)]
    subject: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    html: Option<String>,
}

impl Sender<SendRow> for EmailSender {
    /// All mail goes through one server, which may be small.
    fn strategy(&self) -> Strategy {
        Strategy {
            window: BatchLimit {
                rows: 200,
                bytes: 1024 * 1024,
            },
            refill: Refill::Continuous,
            concurrency: 4,
            per_peer: 4,
            slot: Slot::UntilRecorded,
            slow_peers: SlowPeers::Wait,
        }
    }

    fn attempt<'a>(&'a self, rows: &'a mut [SendRow]) -> Attempt<'a, SendRow> {
        Box::pin(async move {
            match rows {
                [row, ..] => self.send(row).await,
                [] => Outcome::failed(NOTHING.to_owned()),
            }
        })
    }
}

impl EmailSender {
    pub(crate) fn new(settings: &SmtpSettings, store: Store) -> Result<EmailSender, OutboxError> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(&settings.url)
            .map_err(|error| setting("--smtp-url", &with_causes(&error)))?
            .timeout(Some(COMMAND_TIMEOUT))
            .build();
        let from = settings.from.parse();
        let from =
            from.map_err(|error| setting("--smtp-from", &format!("{:?}: {error}", settings.from)))?;
        Ok(EmailSender {
            transport,
            from,
            store,
        })
    }

    async fn send(&self, row: &SendRow) -> Outcome<String> {
        let (user, kind) = (row.user_id.clone(), row.kind);
        let address = match self.store.read(move |c| address(c, &user, kind)).await {
            Ok(Ok(address)) => address,
            Ok(Err(reason)) => return Outcome::failed(reason.to_owned()),
            Err(error) => return Outcome::retry(error.to_string()),
        };
        let message = match write(&self.from, &address, row) {
            Ok(message) => message,
            Err(reason) => return Outcome::failed(reason),
        };
        match tokio::time::timeout(TIMEOUT, self.transport.send(message)).await {
            Ok(Ok(response)) => {
                let text = response.first_line().unwrap_or_default();
                Outcome::sent(format!("{} {text}", response.code()))
            }
            Ok(Err(error)) => judge(&error),
            Err(_) => Outcome::no_answer(format!("the mail server took more than {TIMEOUT:?}")),
        }
    }
}

/// The address that mail of this kind goes to, or the reason why it goes nowhere.
fn address(
    c: &mut dyn Conn,
    user: &UserId,
    kind: SendKind,
) -> Result<Result<String, &'static str>, StoreError> {
    let Some(owner) = users::get(c, user)? else {
        return Ok(Err("the account is gone"));
    };
    if kind != SendKind::NotificationEmail {
        return Ok(Ok(owner.email));
    }
    let settings = notification_settings::get(c, user)?;
    Ok(match settings.mail {
        Some(false) => Err("notifications by mail are off"),
        _ => Ok(settings.mail_to.unwrap_or(owner.email)),
    })
}

fn setting(name: &str, reason: &str) -> OutboxError {
    OutboxError::Setting(format!("{name} cannot be used: {reason}"))
}

fn judge(error: &smtp::Error) -> Outcome<String> {
    let report = format!("the mail server: {}", with_causes(error));
    if error.is_permanent() || error.is_client() {
        Outcome::failed(report)
    } else if error.is_transient() {
        Outcome::retry(report)
    } else {
        Outcome::no_answer(report)
    }
}

fn write(from: &Mailbox, to: &str, row: &SendRow) -> Result<Message, String> {
    let order: Order = serde_json::from_str(&row.payload)
        .map_err(|error| format!("the mail is not understood: {error}"))?;
    let to: Address = to
        .parse()
        .map_err(|_| format!("the account's address {to:?} is not one that mail can go to"))?;
    let Order {
        subject,
        text,
        html,
    } = order;
    let bytes = [&text, &html].map(|part| part.as_ref().map_or(0, String::len));
    if bytes.iter().sum::<usize>() > MAX_BYTES {
        return Err(format!("the mail is larger than {MAX_BYTES} bytes"));
    }
    // A retry has the same id, by which mail programs recognize it.
    let id = format!("<{}@{}>", row.id, from.email.domain());
    let message = Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .message_id(Some(id))
        .subject(one_line(&subject.unwrap_or_default()));
    let message = match (text, html) {
        (Some(text), Some(html)) => {
            message.multipart(MultiPart::alternative_plain_html(text, html))
        }
        (None, Some(html)) => message.singlepart(SinglePart::html(html)),
        (text, None) => message.singlepart(SinglePart::plain(text.unwrap_or_default())),
    };
    message.map_err(|error| format!("the mail cannot be written: {error}"))
}

/// Text behind a line end would be taken for another header.
fn one_line(subject: &str) -> String {
    let characters = subject.chars().take(MAX_SUBJECT_CHARACTERS);
    characters
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect()
}

/// The error with its causes.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_text = next.to_string();
        if !text.contains(&next_text) {
            text = format!("{text}: {next_text}");
        }
        cause = next.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sluice_model::{EmitId, IdGen};
    use sluice_store::sends::SendState;

    use super::*;

    fn written(to: &str, order: &Value) -> Result<String, String> {
        let mut ids = IdGen::new(1);
        let row = SendRow {
            id: EmitId::generate(&mut ids, 1),
            step: None,
            user_id: UserId::parse("u_a").unwrap(),
            kind: SendKind::Email,
            state: SendState::Pending,
            due_at: Some(1),
            tries: 0,
            result: None,
            created_at: 1,
            updated_at: 1,
            payload: order.to_string(),
            trace: None,
        };
        let from = "Sluice <sluice@example.com>".parse().unwrap();
        let message = write(&from, to, &row)?;
        Ok(String::from_utf8(message.formatted()).unwrap())
    }

    #[test]
    fn a_line_end_in_the_subject_begins_no_header() {
        let order = json!({ "subject": "Hello\r\nBcc: other@example.com\n\nbody", "text": "x" });
        let mail = written("owner@example.com", &order).unwrap();
        assert!(!mail.lines().any(|line| line.starts_with("Bcc")), "{mail}");
        assert!(
            mail.contains("Subject: Hello  Bcc: other@example.com  body\r\n"),
            "{mail}"
        );
    }

    #[test]
    fn text_and_html_are_alternatives_and_each_may_stand_alone() {
        let mail = |order: Value| written("owner@example.com", &order).unwrap();
        let both = mail(json!({ "text": "plain", "html": "<b>rich</b>" }));
        assert!(both.contains("multipart/alternative"), "{both}");
        assert!(mail(json!({ "html": "<b>rich</b>" })).contains("text/html"));
        assert!(mail(json!({ "text": "plain" })).contains("text/plain"));
        assert!(mail(json!({})).contains("Subject: "));
    }

    #[test]
    fn an_address_that_is_none_and_a_body_that_is_huge_are_refused() {
        let error = |to: &str, order: &Value| written(to, order).unwrap_err();
        assert!(error("nobody", &json!({})).contains("\"nobody\""));
        assert!(error("a@b.c>\r\nRCPT TO:<x@y.z", &json!({})).contains("not one"));
        let huge = json!({ "text": "x".repeat(MAX_BYTES + 1) });
        assert!(error("owner@example.com", &huge).contains("larger"));
    }
}
