//! Settings of traces, by flags and by the variables that all programs with OpenTelemetry know.

use std::{env, sync::Arc};

use anyhow::Context;
use clap::Args;
use sluice_infra::Infra;
use sluice_traces::{Collector, Resource, Sampling, Traces, TracesOptions};

const SERVICE: &str = "sluice";

#[derive(Args)]
#[command(next_help_heading = "Traces")]
pub(crate) struct TracingOptions {
    /// Address of an OpenTelemetry collector that takes OTLP over HTTP, such as `http://localhost:4318`. Spans go to `/v1/traces`
    /// below it [default: `OTEL_EXPORTER_OTLP_ENDPOINT`, or none: nothing is recorded]
    #[arg(long, env = "SLUICE_OTLP_ENDPOINT", value_name = "URL")]
    otlp_endpoint: Option<String>,
    /// Headers of requests to the collector, such as `api-key=secret,tenant=a` with percent-encoded values
    /// [default: `OTEL_EXPORTER_OTLP_HEADERS`]
    #[arg(
        long,
        env = "SLUICE_OTLP_HEADERS",
        hide_env_values = true,
        value_name = "HEADERS"
    )]
    otlp_headers: Option<String>,
    /// Name of the service in traces [default: `OTEL_SERVICE_NAME`, or `sluice`]
    #[arg(long, env = "SLUICE_OTLP_SERVICE_NAME", value_name = "NAME")]
    otlp_service_name: Option<String>,
    /// Share of the traces that begin here and are recorded, from 0 to 1. Requests with a `traceparent` are recorded if that says so,
    /// up to `--trace-client-limit`
    #[arg(
        long,
        env = "SLUICE_TRACE_SAMPLING",
        default_value_t = 1.0,
        value_name = "RATIO"
    )]
    trace_sampling: f64,
    /// Traces in a second that are recorded because the `traceparent` of a client says so: so many of API clients, whose key was
    /// right before, and so many of all others, such as requests to endpoints. Further ones are passed on as not sampled. 0 records
    /// none
    #[arg(
        long,
        env = "SLUICE_TRACE_CLIENT_LIMIT",
        default_value_t = 100,
        value_name = "NUMBER"
    )]
    trace_client_limit: u32,
}

impl TracingOptions {
    /// Starts the export of spans, if there is a collector.
    pub(crate) fn start(&self, infra: &Infra, node: &str) -> anyhow::Result<Traces> {
        let sampling = Sampling::ratio(self.trace_sampling)
            .context("--trace-sampling must be a number from 0 to 1")?;
        let Some(endpoint) =
            or_variable(self.otlp_endpoint.as_deref(), "OTEL_EXPORTER_OTLP_ENDPOINT")
        else {
            return Ok(Traces::default());
        };
        let headers = or_variable(self.otlp_headers.as_deref(), "OTEL_EXPORTER_OTLP_HEADERS");
        let collector = Collector::parse(&endpoint, &headers.unwrap_or_default())
            .context("cannot use --otlp-endpoint and --otlp-headers")?;
        let service = or_variable(self.otlp_service_name.as_deref(), "OTEL_SERVICE_NAME");
        let ids = infra.ids.clone();
        let traces = Traces::start(TracesOptions {
            collector,
            resource: Resource {
                service: service.unwrap_or_else(|| SERVICE.to_owned()),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                instance: node.to_owned(),
            },
            sampling,
            client_traces: self.trace_client_limit,
            clock: Arc::clone(&infra.clock),
            metrics: infra.metrics.spans.clone(),
            random: Box::new(move || ids.random()),
        });
        traces.context("cannot prepare the export of traces")
    }
}

fn or_variable(flag: Option<&str>, variable: &str) -> Option<String> {
    let given = flag.map(str::to_owned);
    let given = given.or_else(|| env::var(variable).ok());
    given.filter(|text| !text.trim().is_empty())
}
