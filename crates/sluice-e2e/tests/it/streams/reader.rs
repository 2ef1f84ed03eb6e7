//! Clients of a stream: one that parses with a crate made for it, and one that sees the text as it is.

use std::{pin::Pin, time::Duration};

use bytes::Bytes;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::{Stream, StreamExt};
use reqwest::{Client, Response};
use serde_json::Value;
use sluice_testkit::Api;
use tokio::time::timeout;

use crate::support::PATIENCE;

/// A message of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Message {
    /// What the source emitted.
    pub(crate) fn event(&self) -> &Value {
        &self.data["event"]
    }
}

type Parsed = Result<eventsource_stream::Event, EventStreamError<reqwest::Error>>;

/// Reads messages, and remembers the last one's id as clients do.
pub(crate) struct Reader {
    messages: Pin<Box<dyn Stream<Item = Parsed> + Send>>,
}

/// Asks for a stream; `last` is sent as `Last-Event-ID`.
pub(crate) async fn ask(url: &str, key: &str, last: Option<&str>) -> reqwest::Result<Response> {
    // Plain HTTP needs no certificates, and loading those of the machine takes long.
    let client = Client::builder().no_proxy().tls_certs_only([]).build()?;
    let mut request = client.get(url).bearer_auth(key);
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    request.send().await
}

impl Reader {
    /// `path` begins with a slash, and is below the server's own address.
    pub(crate) async fn open(url: &str, api: &Api, path: &str, last: Option<&str>) -> Reader {
        let response = ask(&format!("{url}{path}"), api.key(), last).await;
        Reader::of(response.expect("a server"))
    }

    pub(crate) fn of(response: Response) -> Reader {
        assert_eq!(response.status(), 200);
        Reader {
            messages: Box::pin(response.bytes_stream().eventsource()),
        }
    }

    /// The next message; none when the stream has ended.
    pub(crate) async fn try_next(&mut self) -> Option<Message> {
        let next = timeout(PATIENCE, self.messages.next()).await;
        let message = next.expect("a message in time")?.ok()?;
        assert_eq!(message.event, "message", "the default type");
        Some(Message {
            id: message.id,
            data: serde_json::from_str(&message.data).expect("JSON"),
        })
    }

    pub(crate) async fn next(&mut self) -> Message {
        self.try_next().await.expect("the stream goes on")
    }

    /// So many messages.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<Message> {
        let mut messages = Vec::with_capacity(count);
        while messages.len() < count {
            messages.push(self.next().await);
        }
        messages
    }

    /// Whether nothing comes for a moment. Only to be asked after something that comes later has arrived.
    pub(crate) async fn is_silent(&mut self) -> bool {
        let moment = Duration::from_millis(100);
        timeout(moment, self.messages.next()).await.is_err()
    }
}

/// The text of a stream as it came.
pub(crate) struct Text {
    response: Response,
    pub(crate) text: String,
}

impl Text {
    pub(crate) fn of(response: Response) -> Text {
        assert_eq!(response.status(), 200);
        Text {
            response,
            text: String::new(),
        }
    }

    /// Reads until the text satisfies; the time is that of a heartbeat and more.
    pub(crate) async fn until(&mut self, what: &str, satisfied: impl Fn(&str) -> bool) {
        while !satisfied(&self.text) {
            let chunk = timeout(PATIENCE, self.response.chunk()).await;
            let chunk: Option<Bytes> = chunk.expect(what).expect("an unbroken stream");
            let chunk = chunk.unwrap_or_else(|| panic!("no {what} in {}", self.text));
            self.text
                .push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }

    /// Reads to the end of the stream.
    pub(crate) async fn read_to_end(&mut self) {
        while let Ok(Some(chunk)) = timeout(PATIENCE, self.response.chunk())
            .await
            .expect("the end of the stream")
        {
            self.text
                .push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }
}
