//! The wording of notifications: JSON for webhooks and plain text for mail.

use serde::Serialize;
use serde_json::json;
use sluice_engine::iso;
use sluice_store::sends::SendKind;

use super::verdict::Kind;

/// Subjects that a message for a webhook lists.
pub(super) const LISTED: usize = 50;
/// Subjects that a mail lists.
const LISTED_IN_MAIL: usize = 20;
/// Characters of a name in a mail.
const MAX_NAME: usize = 80;

/// A subject whose state has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) failures: u64,
    pub(super) failing_since: i64,
    /// None when it fails.
    pub(super) recovered_at: Option<i64>,
    pub(super) error: String,
}

/// A message about one subject or several.
pub(super) struct Message<'a> {
    pub(super) at: i64,
    /// Those that are listed.
    pub(super) items: &'a [Item],
    /// How many subjects it is about.
    pub(super) total: usize,
    pub(super) username: &'a str,
    pub(super) public_url: &'a str,
}

#[derive(Serialize)]
struct Wire<'a> {
    r#type: String,
    at: String,
    subject: Subject<'a>,
    error: WireError<'a>,
    since: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovered_at: Option<String>,
    /// Absent for webhooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

#[derive(Serialize)]
struct Subject<'a> {
    kind: &'static str,
    id: &'a str,
    name: &'a str,
    url: String,
}

#[derive(Serialize)]
struct WireError<'a> {
    message: &'a str,
}

impl Message<'_> {
    /// The payload of the send.
    pub(super) fn payload(&self, kind: SendKind) -> String {
        match kind {
            SendKind::NotificationEmail => {
                json!({ "subject": self.headline(), "text": self.text() }).to_string()
            }
            _ => self.json(),
        }
    }

    /// One subject by itself, several as a digest.
    fn json(&self) -> String {
        let wires: Vec<Wire<'_>> = self.items.iter().map(|item| self.wire(item)).collect();
        match wires.as_slice() {
            [one] if self.total == 1 => json!(one).to_string(),
            several => json!({
                "type": "digest",
                "at": iso(self.at),
                "count": self.total,
                "notifications": several,
            })
            .to_string(),
        }
    }

    fn wire<'a>(&self, item: &'a Item) -> Wire<'a> {
        Wire {
            r#type: format!("{}.{}", item.kind.as_str(), item.state()),
            at: iso(self.at),
            subject: Subject {
                kind: item.kind.as_str(),
                id: &item.id,
                name: &item.name,
                url: self.url(item),
            },
            error: WireError {
                message: &item.error,
            },
            since: iso(item.failing_since),
            recovered_at: item.recovered_at.map(iso),
            count: item.count(),
        }
    }

    /// The page of the console.
    fn url(&self, item: &Item) -> String {
        format!("{}/{}s/{}", self.public_url, item.kind.as_str(), item.id)
    }

    fn headline(&self) -> String {
        let headline = match self.items {
            [one] if self.total == 1 => one.headline(),
            items if items.iter().all(Item::is_failing) => {
                format!("{} sources, workflows or webhooks are failing", self.total)
            }
            items if !items.iter().any(Item::is_failing) => {
                format!("{} sources, workflows or webhooks work again", self.total)
            }
            _ => format!("{} sources, workflows or webhooks have changed", self.total),
        };
        format!("[Sluice] {headline}")
    }

    fn text(&self) -> String {
        let listed = self.items.iter().take(LISTED_IN_MAIL);
        let mut parts: Vec<String> = listed.map(|item| self.paragraph(item)).collect();
        let more = self.total.saturating_sub(parts.len());
        if more > 0 {
            parts.push(format!("And {more} more: {}/", self.public_url));
        }
        parts.push(footer(self.username, self.public_url));
        parts.join("\n\n")
    }

    fn paragraph(&self, item: &Item) -> String {
        let since = iso(item.failing_since);
        let times = match item.count() {
            Some(1) => ", 1 failure".to_owned(),
            Some(count) => format!(", {count} failures in a row"),
            None => String::new(),
        };
        let details = match item.recovered_at {
            None => format!("Since {since}{times}."),
            Some(at) => format!("It failed from {since} to {}{times}.", iso(at)),
        };
        let error = if item.is_failing() {
            "Error"
        } else {
            "Last error"
        };
        format!(
            "{}.\n{details}\n{error}: {}\n{}",
            item.headline(),
            one_line(&item.error),
            self.url(item)
        )
    }
}

impl Item {
    fn is_failing(&self) -> bool {
        self.recovered_at.is_none()
    }

    fn state(&self) -> &'static str {
        if self.is_failing() {
            "failing"
        } else {
            "recovered"
        }
    }

    /// The attempts of webhooks are not counted.
    fn count(&self) -> Option<u64> {
        (self.kind != Kind::Webhook).then_some(self.failures)
    }

    fn headline(&self) -> String {
        let noun = match self.kind {
            Kind::Source => "Source",
            Kind::Workflow => "Workflow",
            Kind::Webhook => "Webhook",
        };
        let name: String = one_line(&self.name).chars().take(MAX_NAME).collect();
        let state = if self.is_failing() {
            "is failing"
        } else {
            "works again"
        };
        format!("{noun} {name:?} {state}")
    }
}

/// The end of each mail: why it was sent, and how to turn it off.
fn footer(username: &str, public_url: &str) -> String {
    format!(
        "-- \nThe account {username} on {public_url} gets notifications by mail. To change or turn them off, open \
         {public_url}/settings#notifications"
    )
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The payload of a test message.
pub(super) fn test_payload(kind: SendKind, at: i64, username: &str, public_url: &str) -> String {
    match kind {
        SendKind::NotificationEmail => {
            let text = format!(
                "This is a test. Notifications by mail work.\n\n{}",
                footer(username, public_url)
            );
            json!({ "subject": "[Sluice] Test of notifications", "text": text }).to_string()
        }
        _ => json!({ "type": "test", "at": iso(at), "url": format!("{public_url}/settings#notifications") })
            .to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn item(kind: Kind, id: &str, recovered_at: Option<i64>) -> Item {
        Item {
            kind,
            id: id.to_owned(),
            name: "Orders\r\nBcc: x".to_owned(),
            failures: 3,
            failing_since: 60_000,
            recovered_at,
            error: "TypeError: x\n is not a function".to_owned(),
        }
    }

    fn message(items: &[Item], total: usize) -> Message<'_> {
        Message {
            at: 120_000,
            items,
            total,
            username: "ada",
            public_url: "https://s.example",
        }
    }

    fn mail(message: &Message<'_>) -> (String, String) {
        let payload: Value =
            serde_json::from_str(&message.payload(SendKind::NotificationEmail)).unwrap();
        let part = |name: &str| payload[name].as_str().unwrap().to_owned();
        (part("subject"), part("text"))
    }

    #[test]
    fn one_subject_is_a_message_of_its_own() {
        let items = [item(Kind::Source, "dc_a", None)];
        let payload = message(&items, 1).payload(SendKind::NotificationWebhook);
        let payload: Value = serde_json::from_str(&payload).unwrap();
        let expected = json!({
            "type": "source.failing",
            "at": "1970-01-01T00:02:00Z",
            "subject": {
                "kind": "source",
                "id": "dc_a",
                "name": "Orders\r\nBcc: x",
                "url": "https://s.example/sources/dc_a",
            },
            "error": { "message": "TypeError: x\n is not a function" },
            "since": "1970-01-01T00:01:00Z",
            "count": 3,
        });
        assert_eq!(payload, expected);
        let (subject, text) = mail(&message(&items, 1));
        assert_eq!(subject, "[Sluice] Source \"Orders Bcc: x\" is failing");
        assert_eq!(
            text,
            "Source \"Orders Bcc: x\" is failing.\n\
             Since 1970-01-01T00:01:00Z, 3 failures in a row.\n\
             Error: TypeError: x is not a function\n\
             https://s.example/sources/dc_a\n\n\
             -- \nThe account ada on https://s.example gets notifications by mail. To change or turn them off, open \
             https://s.example/settings#notifications"
        );
    }

    #[test]
    fn a_recovery_says_how_long_it_took() {
        let items = [item(Kind::Webhook, "wh_a", Some(90_000))];
        let payload = message(&items, 1).payload(SendKind::NotificationWebhook);
        let payload: Value = serde_json::from_str(&payload).unwrap();
        assert_eq!(payload["type"], "webhook.recovered");
        assert_eq!(payload["recovered_at"], "1970-01-01T00:01:30Z");
        assert_eq!(payload.get("count"), None);
        let (subject, text) = mail(&message(&items, 1));
        assert!(subject.ends_with("works again"), "{subject}");
        assert!(
            text.contains("It failed from 1970-01-01T00:01:00Z to 1970-01-01T00:01:30Z."),
            "{text}"
        );
    }

    #[test]
    fn many_subjects_are_one_digest_of_bounded_length() {
        let items: Vec<Item> = (0..LISTED)
            .map(|number| item(Kind::Webhook, &format!("wh_{number}"), None))
            .collect();
        let message = message(&items, 10_000);
        let payload: Value =
            serde_json::from_str(&message.payload(SendKind::NotificationWebhook)).unwrap();
        assert_eq!(
            (&payload["type"], &payload["count"]),
            (&json!("digest"), &json!(10_000))
        );
        assert_eq!(payload["notifications"].as_array().unwrap().len(), LISTED);
        let (subject, text) = mail(&message);
        assert_eq!(
            subject,
            "[Sluice] 10000 sources, workflows or webhooks are failing"
        );
        assert_eq!(text.matches("is failing.").count(), LISTED_IN_MAIL);
        assert!(text.contains("And 9980 more: https://s.example/"), "{text}");
    }

    #[test]
    fn a_digest_says_whether_everything_fails_or_works() {
        let failing = item(Kind::Source, "dc_a", None);
        let recovered = item(Kind::Workflow, "p_a", Some(1));
        let headline = |items: &[Item]| mail(&message(items, items.len())).0;
        assert!(headline(&[recovered.clone(), recovered.clone()]).ends_with("work again"));
        assert!(headline(&[failing, recovered]).ends_with("have changed"));
    }
}
