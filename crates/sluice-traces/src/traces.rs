//! The handle through which services continue traces and record spans.

use std::{sync::Arc, time::Duration};

use reqwest::Client;
use sluice_model::{Clock, TraceContext};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    Collector, Resource, Span, SpanMetrics, client_limit::ClientLimit, exporter::Exporter,
};

/// Spans that wait for the exporter: some megabytes.
const QUEUE: usize = 8_192;
/// Of one request to the collector.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Cheap to clone. Without a collector it records nothing and passes contexts on as they are.
#[derive(Clone, Default)]
pub struct Traces(Option<Arc<Inner>>);

struct Inner {
    queue: mpsc::Sender<Span>,
    metrics: SpanMetrics,
    sampling: Sampling,
    public_limit: ClientLimit,
    api_limit: ClientLimit,
    clock: Arc<dyn Clock>,
    random: Box<dyn Fn() -> u64 + Send + Sync>,
    stopped: CancellationToken,
    exporter: parking_lot::Mutex<Option<tokio::task::JoinHandle<()>>>,
}

pub struct TracesOptions {
    pub collector: Collector,
    pub resource: Resource,
    pub sampling: Sampling,
    /// Traces that clients begin and that are recorded in a second, of each origin.
    pub client_traces: u32,
    pub clock: Arc<dyn Clock>,
    pub metrics: SpanMetrics,
    pub random: Box<dyn Fn() -> u64 + Send + Sync>,
}

/// Where a request comes from. Each origin has a limit of its own, so that strangers do not use up that of API clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A request that anyone can send, such as one to an endpoint.
    Public,
    /// A request of an API client, whose key was right before.
    Api,
}

/// The share of traces that begin here and are recorded. A trace that a client began is recorded if its context says so, up
/// to a limit.
#[derive(Debug, Clone, Copy)]
pub struct Sampling(u64);

impl Sampling {
    /// `None` when the ratio is not from 0 to 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a ratio of 1 is the highest number"
    )]
    pub fn ratio(ratio: f64) -> Option<Sampling> {
        (0.0..=1.0)
            .contains(&ratio)
            .then_some(Sampling((ratio * u64::MAX as f64) as u64))
    }

    fn admits(self, random: u64) -> bool {
        self.0 > 0 && random <= self.0
    }
}

impl Traces {
    /// Starts the exporter. Has to be called on the async runtime.
    pub fn start(options: TracesOptions) -> Result<Traces, reqwest::Error> {
        let TracesOptions {
            collector,
            resource,
            sampling,
            client_traces,
            clock,
            metrics,
            random,
        } = options;
        let client = Client::builder().timeout(TIMEOUT).build()?;
        let (queue, spans) = mpsc::channel(QUEUE);
        let stopped = CancellationToken::new();
        let exporter = Exporter {
            client,
            collector,
            resource,
            metrics: metrics.clone(),
            stopped: stopped.clone(),
        };
        let exporter = tokio::spawn(exporter.run(spans));
        Ok(Traces(Some(Arc::new(Inner {
            queue,
            metrics,
            sampling,
            public_limit: ClientLimit::new(client_traces),
            api_limit: ClientLimit::new(client_traces),
            clock,
            random,
            stopped,
            exporter: parking_lot::Mutex::new(Some(exporter)),
        }))))
    }

    /// Sends what was recorded, for a few seconds at most. Later spans are dropped.
    pub async fn stop(&self) {
        let Some(inner) = &self.0 else { return };
        inner.stopped.cancel();
        let exporter = inner.exporter.lock().take();
        if let Some(exporter) = exporter {
            let _ = exporter.await;
        }
    }

    /// The span of something that comes from a client, in the trace of its context. Without a context it may begin a trace. Beyond
    /// the limit of its origin, a trace that the client began goes on without being recorded.
    pub fn begin(&self, origin: Origin, incoming: Option<&TraceContext>) -> Option<TraceContext> {
        let Some(context) = incoming else {
            return self.begin_here();
        };
        match &self.0 {
            Some(inner) if context.is_sampled() && !inner.admits(origin) => {
                Some(context.not_sampled())
            }
            _ => Some(self.child(context)),
        }
    }

    /// The first span of a trace, if one begins.
    pub fn begin_here(&self) -> Option<TraceContext> {
        let inner = self.0.as_ref()?;
        if !inner.sampling.admits((inner.random)()) {
            return None;
        }
        let random = || u128::from((inner.random)());
        let trace = (random() << 64) | random();
        Some(TraceContext::root(trace, (inner.random)(), true))
    }

    /// A new span in the same trace; the same context when nothing is recorded.
    pub fn child(&self, context: &TraceContext) -> TraceContext {
        match &self.0 {
            Some(inner) if context.is_sampled() => context.with_span((inner.random)()),
            _ => context.clone(),
        }
    }

    /// Whether spans of this trace are recorded.
    pub fn records(&self, context: &TraceContext) -> bool {
        self.0.is_some() && context.is_sampled()
    }

    /// Records a span, unless its trace is not recorded.
    pub fn record(&self, span: Span) {
        if let Some(inner) = &self.0
            && span.context.is_sampled()
            && inner.queue.try_send(span).is_err()
        {
            inner.metrics.dropped.inc();
        }
    }
}

impl Inner {
    fn admits(&self, origin: Origin) -> bool {
        let limit = match origin {
            Origin::Public => &self.public_limit,
            Origin::Api => &self.api_limit,
        };
        let admits = limit.admits(self.clock.now_ms());
        if !admits {
            self.metrics.refused.inc();
        }
        admits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_collector_contexts_pass_unchanged_and_none_begin() {
        let traces = Traces::default();
        let context = TraceContext::root(1, 2, true);
        let begun = traces.begin(Origin::Api, Some(&context));
        assert_eq!(begun, Some(context.clone()));
        assert_eq!(traces.begin(Origin::Public, None), None);
        assert_eq!(traces.child(&context), context);
        assert!(!traces.records(&context));
    }

    #[test]
    fn the_ratio_decides_which_traces_begin() {
        let admits = |ratio, random| Sampling::ratio(ratio).unwrap().admits(random);
        assert!(admits(1.0, u64::MAX) && admits(1.0, 0));
        assert!(!admits(0.0, 0) && !admits(0.0, u64::MAX));
        assert!(admits(0.5, u64::MAX / 4) && !admits(0.5, u64::MAX / 4 * 3));
        assert!(Sampling::ratio(1.1).is_none() && Sampling::ratio(f64::NAN).is_none());
    }
}
