//! Traces: spans of what the server does, sent to a collector of OpenTelemetry as OTLP over HTTP, and the context that passes from step to
//! step.
//!
//! A context is stored with the work that it caused, so a trace goes on after a hand-over or a crash. Nothing here blocks: spans go
//! into a bounded queue, and those that do not fit are dropped and counted.

mod client_limit;
mod encode;
mod endpoint;
mod exporter;
mod metrics;
mod resource;
mod span;
mod traces;

pub use endpoint::{Collector, CollectorError};
pub use metrics::SpanMetrics;
pub use resource::Resource;
pub use span::{Attribute, MAX_LINKS, Span, SpanKind};
pub use traces::{Origin, Sampling, Traces, TracesOptions};
