//! `$.send.email`: mail to the owner of the workflow, over the operator's SMTP server.

use std::{error::Error, time::Duration};

use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, MultiPart, SinglePart},
    transport::smtp,
};
use serde::Deserialize;
use sluice_store::{sends::SendRow, users};

use super::outcome::Outcome;
use crate::context::Context;
use sluice_infra::SmtpSettings;

/// For one word of the conversation,
const STEP_TIMEOUT: Duration = Duration::from_secs(10);
/// and for all of it.
const TIMEOUT: Duration = Duration::from_secs(30);
const MOST_BYTES: usize = 10 * 1024 * 1024;
const MOST_SUBJECT_CHARACTERS: usize = 500;

pub(super) struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
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

impl Mailer {
    pub(super) fn new(settings: &SmtpSettings) -> Result<Mailer, String> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(&settings.url)
            .map_err(|error| format!("--smtp-url cannot be used: {}", in_words(&error)))?
            .timeout(Some(STEP_TIMEOUT))
            .build();
        let from = settings
            .from
            .parse()
            .map_err(|error| format!("--smtp-from cannot be used: {:?}: {error}", settings.from))?;
        Ok(Mailer { transport, from })
    }

    pub(super) async fn send(&self, context: &Context, row: &SendRow) -> Outcome {
        let user = row.user_id.clone();
        let owner = match context
            .infra
            .store
            .read(move |c| users::get(c, &user))
            .await
        {
            Ok(Some(owner)) => owner,
            Ok(None) => return Outcome::Failed("the account is gone".to_owned()),
            Err(error) => return Outcome::again(error.to_string()),
        };
        let message = match write(&self.from, &owner.email, row) {
            Ok(message) => message,
            Err(why) => return Outcome::Failed(why),
        };
        match tokio::time::timeout(TIMEOUT, self.transport.send(message)).await {
            Ok(Ok(response)) => {
                let words = response.first_line().unwrap_or_default();
                Outcome::Sent(format!("{} {words}", response.code()))
            }
            Ok(Err(error)) => judge(&error),
            Err(_) => Outcome::again(format!("the mail server took more than {TIMEOUT:?}")),
        }
    }
}

fn judge(error: &smtp::Error) -> Outcome {
    let why = format!("the mail server: {}", in_words(error));
    if error.is_permanent() || error.is_client() {
        Outcome::Failed(why)
    } else {
        Outcome::again(why)
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
    if bytes.iter().sum::<usize>() > MOST_BYTES {
        return Err(format!("the mail is larger than {MOST_BYTES} bytes"));
    }
    // A repeat has the same id, by which mail programs know it.
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

/// What follows a line end would be taken for another header.
fn one_line(subject: &str) -> String {
    let characters = subject.chars().take(MOST_SUBJECT_CHARACTERS);
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

/// The error with all that lies under it.
fn in_words(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_words = next.to_string();
        if !words.contains(&next_words) {
            words = format!("{words}: {next_words}");
        }
        cause = next.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sluice_model::{EmitId, IdGen, InvocationId, UserId, WorkflowId};
    use sluice_store::sends::{SendKind, SendState};

    use super::*;

    fn written(to: &str, order: &Value) -> Result<String, String> {
        let mut ids = IdGen::new(1);
        let row = SendRow {
            id: EmitId::generate(&mut ids, 1),
            workflow_id: WorkflowId::parse("p_a").unwrap(),
            user_id: UserId::parse("u_a").unwrap(),
            run_id: InvocationId::generate(&mut ids, 1),
            step: "mail".to_owned(),
            kind: SendKind::Email,
            state: SendState::Pending,
            due_at: Some(1),
            tries: 0,
            result: None,
            created_at: 1,
            updated_at: 1,
            payload: order.to_string(),
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
        let fault = |to: &str, order: &Value| written(to, order).unwrap_err();
        assert!(fault("nobody", &json!({})).contains("\"nobody\""));
        assert!(fault("a@b.c>\r\nRCPT TO:<x@y.z", &json!({})).contains("not one"));
        let huge = json!({ "text": "x".repeat(MOST_BYTES + 1) });
        assert!(fault("owner@example.com", &huge).contains("larger"));
    }
}
