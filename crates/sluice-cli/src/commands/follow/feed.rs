//! A server stream that reconnects and resumes.

use std::{convert::Infallible, pin::Pin, time::Duration};

use eventsource_stream::{Event, Eventsource};
use futures_util::{Stream, StreamExt, stream};
use reqwest::Response;
use serde::de::DeserializeOwned;
use sluice_model::EventId;
use tokio::time::{sleep, timeout};

use crate::{
    client::{Client, ClientError},
    commands::output::show_stderr,
};

const MIN_BACKOFF: Duration = Duration::from_millis(250);
const MAX_BACKOFF: Duration = Duration::from_secs(10);
/// The server sends a heartbeat every 15 seconds. After two missing ones the connection counts as lost.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(40);

/// A stream of events or log lines, without gaps and duplicates.
pub(crate) struct Feed<T> {
    items: Pin<Box<dyn Stream<Item = Result<T, ClientError>> + Send>>,
}

impl<T: DeserializeOwned + Send + 'static> Feed<T> {
    /// Everything after the return of this function is part of the feed.
    pub(super) async fn open(
        client: &Client,
        path: String,
        after: Option<EventId>,
    ) -> Result<Feed<T>, ClientError> {
        let last = after.map(|id| id.to_string());
        let response = client.stream(&path, last.as_deref()).await?;
        let connection = StreamConnection {
            client: client.clone(),
            path,
            last,
            messages: messages(response),
        };
        let items = stream::unfold(Some(connection), |connection| async {
            let mut connection = connection?;
            match connection.next().await {
                Ok(Some(message)) => {
                    let item = connection.client.parse_message(&message.data);
                    Some((item, Some(connection)))
                }
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        });
        Ok(Feed {
            items: Box::pin(items),
        })
    }

    /// The next item, or `None` when the source is deleted. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<Result<T, ClientError>> {
        self.items.next().await
    }
}

type Messages = Pin<Box<dyn Stream<Item = Event> + Send>>;

/// A connection, with the data needed to reconnect.
struct StreamConnection {
    client: Client,
    path: String,
    last: Option<String>,
    messages: Messages,
}

impl StreamConnection {
    async fn next(&mut self) -> Result<Option<Event>, ClientError> {
        loop {
            if let Some(message) = self.messages.next().await {
                self.last = Some(message.id.clone());
                return Ok(Some(message));
            }
            if !self.reconnect().await? {
                return Ok(None);
            }
        }
    }

    /// Reconnects with backoff. Returns false when the source no longer exists.
    async fn reconnect(&mut self) -> Result<bool, ClientError> {
        let mut backoff = MIN_BACKOFF;
        let mut is_reported = false;
        loop {
            sleep(backoff).await;
            match self.client.stream(&self.path, self.last.as_deref()).await {
                Ok(response) => {
                    if is_reported {
                        notify("Reconnected to the server\n");
                    }
                    self.messages = messages(response);
                    return Ok(true);
                }
                Err(error) if error.is_not_found() => return Ok(false),
                Err(error) if error.is_retryable() => {
                    if !is_reported {
                        notify("Lost the connection to the server, reconnecting\n");
                        is_reported = true;
                    }
                    backoff = (backoff * 2).min(MAX_BACKOFF);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// The messages of one connection. Any error ends it, and the next connection resumes from there.
fn messages(response: Response) -> Messages {
    let chunks = stream::unfold(response, |mut response| async {
        let read = timeout(HEARTBEAT_TIMEOUT, response.chunk()).await;
        let chunk = read.ok()?.ok()??;
        Some((Ok::<_, Infallible>(chunk), response))
    });
    let events = chunks.eventsource();
    Box::pin(events.take_while(is_ok).filter_map(ok))
}

async fn ok<E>(event: Result<Event, E>) -> Option<Event> {
    event.ok()
}

fn is_ok<E>(event: &Result<Event, E>) -> std::future::Ready<bool> {
    std::future::ready(event.is_ok())
}

/// A failed write to standard error is ignored.
fn notify(notice: &str) {
    let _ = show_stderr(notice);
}
