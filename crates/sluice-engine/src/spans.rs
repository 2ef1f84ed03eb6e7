//! The spans of invocations, runs, steps and commits. Each continues the trace of the work that caused it, if there is one.

use std::time::Duration;

use sluice_infra::{Infra, millis};
use sluice_model::{EmitterId, TraceContext};
use sluice_runtime::{Failure, Outcome};
use sluice_store::{inbox::InboxKind, runs::Run};
use sluice_traces::{Span, SpanKind};

use crate::{
    commit::batch::{Applied, Batch},
    work::Work,
};

/// The context of a run that begins with this work. A tick may begin a trace.
pub(crate) fn run_context(infra: &Infra, work: &Work) -> Option<TraceContext> {
    match &work.trace {
        Some(cause) => Some(infra.traces.child(cause)),
        None if work.kind == InboxKind::Timer => infra.traces.begin_here(),
        None => None,
    }
}

/// Records an invocation of a source that has ended, with its time in the inbox. Returns its context.
pub(crate) fn invocation(
    infra: &Infra,
    source: &EmitterId,
    work: &Work,
    outcome: &Outcome,
) -> Option<TraceContext> {
    let context = run_context(infra, work)?;
    if !infra.traces.records(&context) {
        return Some(context);
    }
    let started_at = infra.now_ms() - millis(outcome.duration);
    waited(infra, work, started_at);
    let (cause, kind, duration) = (work.trace.as_ref(), SpanKind::Internal, outcome.duration);
    let span = Span::new(&context, cause, "invocation", kind, started_at, duration)
        .with("sluice.emitter_id", source.as_str())
        .with("sluice.invocation_id", work.id.as_str())
        .with("sluice.trigger", work.kind.as_str())
        .failed(outcome.failure.as_ref().map(Failure::to_log));
    infra.traces.record(span);
    Some(context)
}

/// Records the time from acceptance to the start.
fn waited(infra: &Infra, work: &Work, until: i64) {
    if let Some(cause) = &work.trace {
        let context = infra.traces.child(cause);
        let duration = between(work.accepted_at, until);
        let kind = SpanKind::Internal;
        let span = Span::new(
            &context,
            Some(cause),
            "inbox",
            kind,
            work.accepted_at,
            duration,
        );
        infra.traces.record(span);
    }
}

/// Records a step that has ended. Returns its context.
pub(crate) fn step(
    infra: &Infra,
    run: &Run,
    name: &str,
    started_at: i64,
    outcome: &Outcome,
) -> Option<TraceContext> {
    let cause = run.trace.as_ref()?;
    let context = infra.traces.child(cause);
    if infra.traces.records(&context) {
        let (kind, duration) = (SpanKind::Internal, outcome.duration);
        let span = Span::new(&context, Some(cause), "step", kind, started_at, duration)
            .with("sluice.step", name)
            .with("sluice.run_id", run.id.as_str())
            .failed(outcome.failure.as_ref().map(Failure::to_log));
        infra.traces.record(span);
    }
    Some(context)
}

/// Records a run that ended or waits, since it began or resumed.
pub(crate) fn run_ended(infra: &Infra, run: &Run, work: &Work) {
    let Some(context) = &run.trace else { return };
    if !infra.traces.records(context) {
        return;
    }
    // A run that resumed was accepted when it did so.
    let started_at = run.started_at.max(work.accepted_at);
    waited(infra, work, started_at);
    let duration = between(started_at, infra.now_ms());
    let (cause, kind) = (work.trace.as_ref(), SpanKind::Internal);
    let error = run.error.as_ref();
    let span = Span::new(context, cause, "run", kind, started_at, duration)
        .with("sluice.emitter_id", run.workflow_id.as_str())
        .with("sluice.run_id", run.id.as_str())
        .failed(error.map(|error| format!("{}: {}", error.code, error.message)));
    infra.traces.record(span);
}

/// Records a commit in the traces of all invocations and steps whose effects it has.
pub(crate) fn committed(infra: &Infra, batch: &Batch, started_at: i64, duration: Duration) {
    for cause in &batch.traces {
        if infra.traces.records(cause) {
            let context = infra.traces.child(cause);
            let kind = SpanKind::Internal;
            let span = Span::new(&context, Some(cause), "commit", kind, started_at, duration)
                .with("sluice.emitter_id", batch.emitter.as_str());
            infra.traces.record(span);
        }
    }
}

/// Records the time that events waited for their `delivery_ts`, in the traces of those that emitted them.
pub(crate) fn released(infra: &Infra, batch: &Batch, applied: &Applied) {
    for (cause, since) in &applied.holds {
        if infra.traces.records(cause) {
            let context = infra.traces.child(cause);
            let (kind, duration) = (SpanKind::Internal, between(*since, batch.now_ms));
            let span = Span::new(&context, Some(cause), "hold", kind, *since, duration)
                .with("sluice.emitter_id", batch.emitter.as_str());
            infra.traces.record(span);
        }
    }
}

fn between(from: i64, until: i64) -> Duration {
    Duration::from_millis(u64::try_from(until - from).unwrap_or_default())
}
