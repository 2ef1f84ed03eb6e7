//! Spans as a request of OTLP.

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value::Value},
    resource::v1::Resource as ResourceMessage,
    trace::v1::{
        ResourceSpans, ScopeSpans, Span as SpanMessage, Status,
        span::{Link, SpanKind as Kind},
        status::StatusCode,
    },
};
use prost::Message;
use sluice_model::TraceContext;

use crate::{Attribute, Resource, Span, SpanKind};

const NANOS_PER_MS: u64 = 1_000_000;

/// The body of an export.
pub(crate) fn request(resource: &Resource, spans: Vec<Span>) -> Vec<u8> {
    let scope = InstrumentationScope {
        name: "sluice".to_owned(),
        version: resource.version.clone(),
        ..InstrumentationScope::default()
    };
    let message = ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans {
            resource: Some(resource_message(resource)),
            scope_spans: vec![ScopeSpans {
                scope: Some(scope),
                spans: spans.into_iter().map(span_message).collect(),
                schema_url: String::new(),
            }],
            schema_url: String::new(),
        }],
    };
    message.encode_to_vec()
}

fn resource_message(resource: &Resource) -> ResourceMessage {
    let Resource {
        service,
        version,
        instance,
    } = resource;
    let attributes = [
        ("service.name", service),
        ("service.version", version),
        ("service.instance.id", instance),
    ];
    ResourceMessage {
        attributes: attributes
            .into_iter()
            .map(|(name, text)| attribute(name, text.clone().into()))
            .collect(),
        ..ResourceMessage::default()
    }
}

fn span_message(span: Span) -> SpanMessage {
    let Span {
        context,
        parent,
        name,
        kind,
        started_at,
        duration,
        attributes,
        links,
        error,
    } = span;
    let start = u64::try_from(started_at)
        .unwrap_or_default()
        .saturating_mul(NANOS_PER_MS);
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let attributes = attributes.into_iter();
    SpanMessage {
        trace_id: context.trace_id().to_be_bytes().to_vec(),
        span_id: context.span_id().to_be_bytes().to_vec(),
        trace_state: context.state().unwrap_or_default().to_owned(),
        parent_span_id: parent.map_or_else(Vec::new, |id| id.to_be_bytes().to_vec()),
        flags: u32::from(context.is_sampled()),
        name,
        kind: kind_number(kind),
        start_time_unix_nano: start,
        end_time_unix_nano: start.saturating_add(nanos),
        attributes: attributes
            .map(|(name, value)| attribute(name, value))
            .collect(),
        links: links.iter().map(link).collect(),
        status: error.map(|message| Status {
            message,
            code: StatusCode::Error.into(),
        }),
        ..SpanMessage::default()
    }
}

fn link(context: &TraceContext) -> Link {
    Link {
        trace_id: context.trace_id().to_be_bytes().to_vec(),
        span_id: context.span_id().to_be_bytes().to_vec(),
        trace_state: context.state().unwrap_or_default().to_owned(),
        flags: u32::from(context.is_sampled()),
        ..Link::default()
    }
}

fn kind_number(kind: SpanKind) -> i32 {
    let kind = match kind {
        SpanKind::Internal => Kind::Internal,
        SpanKind::Server => Kind::Server,
        SpanKind::Client => Kind::Client,
    };
    kind.into()
}

fn attribute(name: &str, value: Attribute) -> KeyValue {
    let value = match value {
        Attribute::Text(text) => Value::StringValue(text),
        Attribute::Number(number) => Value::IntValue(number),
    };
    KeyValue {
        key: name.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}
