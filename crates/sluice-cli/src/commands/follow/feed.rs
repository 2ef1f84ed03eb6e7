//! A stream of the server that goes on where it was when the connection breaks.

use std::{convert::Infallible, pin::Pin, time::Duration};

use eventsource_stream::{Event, Eventsource};
use futures_util::{Stream, StreamExt, stream};
use reqwest::Response;
use serde::de::DeserializeOwned;
use sluice_model::EventId;
use tokio::time::{sleep, timeout};

use crate::{
    client::{Client, ClientError},
    commands::output::complain,
};

const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The server gives a sign of life every 15 seconds: after two that did not come, nobody is there any more.
const LONGEST_SILENCE: Duration = Duration::from_secs(40);

/// What is emitted or logged, one after the other, none twice and none left out.
pub(crate) struct Feed<T> {
    items: Pin<Box<dyn Stream<Item = Result<T, ClientError>> + Send>>,
}

impl<T: DeserializeOwned + Send + 'static> Feed<T> {
    /// Whatever happens once this has returned is in the feed.
    pub(super) async fn open(
        client: &Client,
        path: String,
        after: Option<EventId>,
    ) -> Result<Feed<T>, ClientError> {
        let last = after.map(|id| id.to_string());
        let response = client.stream(&path, last.as_deref()).await?;
        let line = Line {
            client: client.clone(),
            path,
            last,
            messages: messages(response),
        };
        let items = stream::unfold(Some(line), |line| async {
            let mut line = line?;
            match line.next().await {
                Ok(Some(message)) => Some((line.client.message(&message.data), Some(line))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        });
        Ok(Feed {
            items: Box::pin(items),
        })
    }

    /// The next item; none when the source is deleted. Nothing is lost when this is dropped before it is ready.
    pub(crate) async fn next(&mut self) -> Option<Result<T, ClientError>> {
        self.items.next().await
    }
}

type Messages = Pin<Box<dyn Stream<Item = Event> + Send>>;

/// A connection, and what it takes to make it again.
struct Line {
    client: Client,
    path: String,
    last: Option<String>,
    messages: Messages,
}

impl Line {
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

    /// Tries until there is a connection again. False when there is nothing left to follow.
    async fn reconnect(&mut self) -> Result<bool, ClientError> {
        let mut pause = FIRST_PAUSE;
        let mut is_told = false;
        loop {
            sleep(pause).await;
            match self.client.stream(&self.path, self.last.as_deref()).await {
                Ok(response) => {
                    if is_told {
                        tell("The server is back\n");
                    }
                    self.messages = messages(response);
                    return Ok(true);
                }
                Err(error) if error.is_not_found() => return Ok(false),
                Err(error) if error.is_passing() => {
                    if !is_told {
                        tell("The connection to the server is lost, trying again\n");
                        is_told = true;
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// The messages of one connection. However it ends, it is only an end: what was missed comes with the next one.
fn messages(response: Response) -> Messages {
    let chunks = stream::unfold(response, |mut response| async {
        let read = timeout(LONGEST_SILENCE, response.chunk()).await;
        let chunk = read.ok()?.ok()??;
        Some((Ok::<_, Infallible>(chunk), response))
    });
    let events = chunks.eventsource();
    Box::pin(events.take_while(is_good).filter_map(good))
}

async fn good<E>(event: Result<Event, E>) -> Option<Event> {
    event.ok()
}

fn is_good<E>(event: &Result<Event, E>) -> std::future::Ready<bool> {
    std::future::ready(event.is_ok())
}

/// A notice that cannot be shown is no reason to stop.
fn tell(notice: &str) {
    let _ = complain(notice);
}
