//! The task that sends spans to the collector, in batches.

#[cfg(test)]
mod tests;

use std::time::Duration;

use reqwest::{Client, StatusCode, header::CONTENT_TYPE};
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{Collector, Resource, Span, SpanMetrics, encode};

/// Spans of one request.
const BATCH: usize = 512;
/// For so long spans are gathered.
const GATHER: Duration = Duration::from_secs(2);
/// Pauses before the second and the third attempt.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];
/// The last batches are sent within this time after the server stopped.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

pub(crate) struct Exporter {
    pub(crate) client: Client,
    pub(crate) collector: Collector,
    pub(crate) resource: Resource,
    pub(crate) metrics: SpanMetrics,
    pub(crate) stopped: CancellationToken,
}

/// Why a batch was not accepted.
enum Failure {
    /// A retry may help.
    Passing(String),
    Final(String),
}

impl Exporter {
    /// Runs until the server has stopped, and a little longer if the collector does not answer.
    pub(crate) async fn run(self, spans: mpsc::Receiver<Span>) {
        tokio::select! {
            () = self.export_all(spans) => {}
            () = self.is_late() => {}
        }
    }

    async fn is_late(&self) {
        self.stopped.cancelled().await;
        tokio::time::sleep(LAST_PATIENCE).await;
    }

    async fn export_all(&self, mut spans: mpsc::Receiver<Span>) {
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                biased;
                count = spans.recv_many(&mut batch, BATCH) => {
                    if count == 0 {
                        return;
                    }
                }
                () = self.stopped.cancelled(), if !spans.is_closed() => {
                    spans.close();
                    continue;
                }
            }
            self.gather(&mut spans, &mut batch).await;
            self.export(std::mem::take(&mut batch)).await;
        }
    }

    /// Waits a while for further spans.
    async fn gather(&self, spans: &mut mpsc::Receiver<Span>, batch: &mut Vec<Span>) {
        let until = Instant::now() + GATHER;
        while batch.len() < BATCH {
            let room = BATCH - batch.len();
            tokio::select! {
                count = spans.recv_many(batch, room) => {
                    if count == 0 {
                        return;
                    }
                }
                () = tokio::time::sleep_until(until) => return,
                () = self.stopped.cancelled() => return,
            }
        }
    }

    /// Sends a batch. One that is not accepted is dropped.
    async fn export(&self, batch: Vec<Span>) {
        let count = batch.len() as u64;
        let body = encode::request(&self.resource, batch);
        let mut pauses = PAUSES.into_iter();
        let error = loop {
            match (self.send(body.clone()).await, pauses.next()) {
                (Ok(()), _) => {
                    self.metrics.exported.inc_by(count);
                    return;
                }
                (Err(Failure::Passing(_)), Some(pause)) => tokio::time::sleep(pause).await,
                (Err(Failure::Passing(error) | Failure::Final(error)), _) => break error,
            }
        };
        self.metrics.dropped.inc_by(count);
        tracing::warn!(
            spans = count,
            error,
            "collector did not accept spans; dropped"
        );
    }

    async fn send(&self, body: Vec<u8>) -> Result<(), Failure> {
        let request = self
            .client
            .post(self.collector.url.clone())
            .header(CONTENT_TYPE, "application/x-protobuf")
            .headers(self.collector.headers.clone())
            .body(body);
        let response = request
            .send()
            .await
            .map_err(|error| Failure::Passing(error.without_url().to_string()))?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let error = format!("the collector answered {status}");
        let is_passing = matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT
        );
        Err(if is_passing {
            Failure::Passing(error)
        } else {
            Failure::Final(error)
        })
    }
}
