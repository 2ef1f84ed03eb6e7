//! Passes messages between standard input and output and the server. Requests run beside each other.

use std::{
    collections::HashMap,
    error::Error as _,
    io::{self, BufRead, Write},
    thread,
};

use eventsource_stream::Eventsource;
use futures_util::{StreamExt, pin_mut};
use reqwest::{Response, StatusCode, header::CONTENT_TYPE};
use serde_json::Value;
use tokio::{
    sync::{mpsc, watch},
    task::{AbortHandle, JoinSet},
};

use super::message::{Message, chosen_version, failure, not_a_message};
use crate::client::{Client, ClientError};

/// Runs until standard input ends and all requests are answered.
pub(super) async fn run(client: Client) -> anyhow::Result<()> {
    let (lines, written) = mpsc::unbounded_channel();
    let writer = tokio::task::spawn_blocking(|| write(written));
    let bridge = Bridge {
        client,
        lines,
        version: watch::Sender::new(None),
    };
    let mut input = input_lines();
    let mut requests = JoinSet::new();
    let mut running: HashMap<String, AbortHandle> = HashMap::new();
    while let Some(line) = input.recv().await {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let message: Message = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(error) => {
                let _ = bridge.lines.send(not_a_message(&error.to_string()));
                continue;
            }
        };
        if let Some(request) = message.cancelled()
            && let Some(task) = running.remove(&request.to_string())
        {
            task.abort();
            continue;
        }
        running.retain(|_, task| !task.is_finished());
        let id = message.id.as_ref().map(Value::to_string);
        if message.is_initialize() {
            // Later messages name the version that it chooses.
            bridge.pass_on(message, line).await;
            continue;
        }
        let bridge = bridge.clone();
        let task = requests.spawn(async move { bridge.pass_on(message, line).await });
        running.extend(id.map(|id| (id, task)));
    }
    while requests.join_next().await.is_some() {}
    drop(bridge);
    writer.await??;
    Ok(())
}

#[derive(Clone)]
struct Bridge {
    client: Client,
    lines: mpsc::UnboundedSender<String>,
    /// The version of the protocol that the server chose.
    version: watch::Sender<Option<String>>,
}

impl Bridge {
    async fn pass_on(&self, message: Message, line: String) {
        let outcome = self.exchange(&message, line).await;
        if let Err(error) = outcome
            && let Some(id) = &message.id
        {
            let mut text = error.to_string();
            if let Some(cause) = error.source() {
                text = format!("{text}: {cause}");
            }
            let _ = self.lines.send(failure(id, &text));
        }
    }

    async fn exchange(&self, message: &Message, line: String) -> Result<(), ClientError> {
        let chosen = self.version.borrow().clone();
        let version = message.version().map(str::to_owned).or(chosen);
        let mut headers = Vec::new();
        headers.extend(version.map(|version| ("mcp-protocol-version", version)));
        let method = message.method.clone();
        headers.extend(method.map(|method| ("mcp-method", method)));
        let name = message.name().map(str::to_owned);
        headers.extend(name.map(|name| ("mcp-name", name)));
        let response = self.client.mcp(&headers, line).await?;
        if response.status() == StatusCode::ACCEPTED {
            return Ok(());
        }
        if is_stream(&response) {
            self.follow(response).await
        } else {
            let text = response.text().await;
            let text = text.map_err(|error| ClientError::unreachable(self.client.url(), error))?;
            self.answer(message, &text);
            Ok(())
        }
    }

    fn answer(&self, message: &Message, text: &str) {
        if message.is_initialize() {
            self.version.send_replace(chosen_version(text));
        }
        // A message is one line.
        let line = serde_json::from_str::<Value>(text)
            .map_or_else(|_| text.replace('\n', " "), |value| value.to_string());
        let _ = self.lines.send(line);
    }

    async fn follow(&self, response: Response) -> Result<(), ClientError> {
        let events = response.bytes_stream().eventsource();
        pin_mut!(events);
        while let Some(Ok(event)) = events.next().await {
            if !event.data.is_empty() {
                let _ = self.lines.send(event.data.replace('\n', " "));
            }
        }
        Ok(())
    }
}

fn is_stream(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes().starts_with(b"text/event-stream"))
}

/// The lines of standard input, which a thread reads.
fn input_lines() -> mpsc::Receiver<io::Result<String>> {
    let (sender, lines) = mpsc::channel(16);
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

fn write(mut lines: mpsc::UnboundedReceiver<String>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    while let Some(line) = lines.blocking_recv() {
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}
