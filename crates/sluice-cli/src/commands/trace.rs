//! `sluice trace`

use std::fmt::Write;

use clap::Args;
use sluice_api::{Trace, TraceNode, TraceNodeKind, TraceNodeStatus};

use super::{
    common::Common,
    output::{
        BAD, CHANGED, FAINT, GOOD, Table, duration, local_time, sanitized, show, show_json, styled,
    },
};
use crate::client::escaped;

/// Show the work that a request caused, as a tree
///
/// Takes the id of any part of it: of a request, event, delivery, run, invocation or send, or the id of an OpenTelemetry
/// trace.
#[derive(Debug, Args)]
pub(crate) struct TraceOptions {
    /// Id of any part of the trace
    id: String,
    /// Id of the source or workflow that the id belongs to, if several have an event with this id
    #[arg(long, value_name = "ID")]
    emitter: Option<String>,
    /// Maximum number of lines, 1000 at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 300)]
    limit: u32,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn trace(options: TraceOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let mut path = format!("/traces/{}?limit={}", escaped(&options.id), options.limit);
    if let Some(emitter) = &options.emitter {
        // Writing to a string cannot fail.
        let _ = write!(path, "&emitter_id={}", escaped(emitter));
    }
    let trace: Trace = client.get(&path).await?;
    if options.common.json {
        return show_json(&trace);
    }
    Ok(show(&text(&trace))?)
}

fn text(trace: &Trace) -> String {
    let Some(first) = trace.nodes.iter().map(|node| node.started_at_ms).min() else {
        return String::new();
    };
    let mut table = Table::new(&["NODE", "STATUS", "START", "TOOK", "ID", "ERROR"]);
    for (index, node) in trace.nodes.iter().enumerate() {
        let is_selected = trace.selected.as_ref() == Some(&node.key);
        table.row(vec![
            format!(
                "{}{}",
                branches(&trace.nodes, index),
                label(node, is_selected)
            ),
            status(node.status),
            format!("+{}", duration(node.started_at_ms - first)),
            node.duration_ms.map_or_else(|| "-".to_owned(), duration),
            node.id.clone(),
            sanitized(node.error.as_deref().unwrap_or_default()),
        ]);
    }
    let mut text = format!("{FAINT}Began at {}{FAINT:#}\n", local_time(first));
    text.push_str(&table.to_text());
    if trace.truncated {
        text.push_str(&styled(CHANGED, "There may be more: raise --limit\n"));
    }
    text
}

/// The lines that lead to a node.
fn branches(nodes: &[TraceNode], index: usize) -> String {
    let mut parts = Vec::new();
    let mut at = index;
    while let Some(parent) = &nodes[at].parent {
        let later = &nodes[at + 1..];
        let is_last = later
            .iter()
            .all(|node| node.parent.as_ref() != Some(parent));
        parts.push(match (at == index, is_last) {
            (true, true) => "└─ ",
            (true, false) => "├─ ",
            (false, true) => "   ",
            (false, false) => "│  ",
        });
        let found = nodes[..at].iter().rposition(|node| node.key == *parent);
        let Some(found) = found else { break };
        at = found;
    }
    parts.reverse();
    styled(FAINT, &parts.concat())
}

fn label(node: &TraceNode, is_selected: bool) -> String {
    let name = sanitized(&node.name).replace(['\n', '\t'], " ");
    let replay = if node.replay { " (replay)" } else { "" };
    let mark = if is_selected { " ◀" } else { "" };
    let more = if node.truncated { " …" } else { "" };
    let kind = styled(FAINT, kind(node.kind));
    format!("{kind} {name}{replay}{more}{mark}")
}

fn kind(kind: TraceNodeKind) -> &'static str {
    match kind {
        TraceNodeKind::Trigger => "trigger",
        TraceNodeKind::SourceRun => "source",
        TraceNodeKind::WorkflowRun => "workflow",
        TraceNodeKind::ActionRun => "action",
        TraceNodeKind::Step => "step",
        TraceNodeKind::Send => "send",
        TraceNodeKind::Event => "event",
        TraceNodeKind::Delivery => "delivery",
        TraceNodeKind::Attempt => "attempt",
    }
}

fn status(status: TraceNodeStatus) -> String {
    let (style, text) = match status {
        TraceNodeStatus::Waiting => (CHANGED, "waiting"),
        TraceNodeStatus::Running => (CHANGED, "running"),
        TraceNodeStatus::Succeeded => (GOOD, "succeeded"),
        TraceNodeStatus::Failed => (BAD, "failed"),
        TraceNodeStatus::Cancelled => (BAD, "cancelled"),
        TraceNodeStatus::Unknown => (FAINT, "unknown"),
    };
    styled(style, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(key: &str, parent: Option<&str>, kind: TraceNodeKind, start: i64) -> TraceNode {
        TraceNode {
            key: key.to_owned(),
            parent: parent.map(str::to_owned),
            depth: 0,
            kind,
            id: key.to_owned(),
            name: format!("name of {key}"),
            status: TraceNodeStatus::Succeeded,
            started_at_ms: start,
            duration_ms: None,
            error: None,
            replay: false,
            truncated: false,
            emitter_id: None,
            event_id: None,
            run_id: None,
            webhook_id: None,
            url: None,
        }
    }

    #[test]
    fn lines_lead_from_parents_to_children() {
        let trace = Trace {
            nodes: vec![
                node("a", None, TraceNodeKind::Trigger, 5),
                node("b", Some("a"), TraceNodeKind::SourceRun, 6),
                node("c", Some("b"), TraceNodeKind::Event, 8),
                TraceNode {
                    replay: true,
                    ..node("d", Some("a"), TraceNodeKind::WorkflowRun, 1505)
                },
            ],
            selected: Some("c".to_owned()),
            truncated: true,
        };
        let shown = text(&trace);
        let shown = anstream::adapter::strip_str(&shown).to_string();
        let lines: Vec<&str> = shown.lines().skip(2).map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "trigger name of a               succeeded  +0 ms   -     a",
                "├─ source name of b             succeeded  +1 ms   -     b",
                "│  └─ event name of c ◀         succeeded  +3 ms   -     c",
                "└─ workflow name of d (replay)  succeeded  +1.5 s  -     d",
                "There may be more: raise --limit",
            ]
        );
    }
}
