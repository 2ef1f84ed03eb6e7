//! `sluice workflows describe`

use clap::Args;
use sluice_api::{Workflow, WorkflowTrigger};

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{activity, fields, local_time, show, show_json},
};

/// Show the version, triggers and steps of a workflow
#[derive(Debug, Args)]
pub(crate) struct DescribeOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn describe(options: DescribeOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let workflow = options.target.find(&client).await?;
    if options.common.json {
        return show_json(&workflow);
    }
    Ok(show(&workflow_text(&workflow))?)
}

fn workflow_text(workflow: &Workflow) -> String {
    let mut lines = vec![
        ("name", workflow.name.clone()),
        ("slug", workflow.name_slug.clone()),
        ("id", workflow.id.to_string()),
        ("state", activity(workflow.active)),
        (
            "version",
            format!("{} ({})", workflow.version, workflow.deployment_id),
        ),
        ("queued", workflow.queued.to_string()),
        ("changed", local_time(workflow.updated_at * 1000)),
    ];
    let description = workflow.description.clone();
    lines.extend(description.map(|text| ("description", text)));
    lines.extend(triggers(workflow));
    let steps: Vec<&str> = workflow
        .steps
        .iter()
        .map(|step| step.name.as_str())
        .collect();
    lines.push(("steps", steps.join(" → ")));
    let settings = &workflow.settings;
    lines.push(("concurrency", settings.concurrency.to_string()));
    if let Some(throttle) = settings.throttle {
        let text = format!("{} runs in {} s", throttle.limit, throttle.interval_seconds);
        lines.push(("throttle", text));
    }
    fields(&lines)
}

/// One line for each trigger, with its kind.
pub(super) fn triggers(workflow: &Workflow) -> Vec<(&'static str, String)> {
    let line = |trigger: &WorkflowTrigger| match trigger {
        WorkflowTrigger::Http { endpoint_url, .. } => {
            ("endpoint", endpoint_url.clone().unwrap_or_default())
        }
        WorkflowTrigger::Schedule {
            cron,
            interval_seconds,
            timezone,
            next_at,
        } => {
            let schedule = match (cron, interval_seconds) {
                (Some(cron), _) => {
                    let zone = timezone.as_deref().unwrap_or("UTC");
                    format!("{cron} ({zone})")
                }
                (None, seconds) => format!("every {} s", seconds.unwrap_or_default()),
            };
            let next = next_at.map(|at| format!(", next at {}", local_time(at * 1000)));
            ("schedule", schedule + &next.unwrap_or_default())
        }
        WorkflowTrigger::Events {
            emitter_id,
            event_name,
        } => {
            let channel = if event_name.is_empty() {
                "default"
            } else {
                event_name
            };
            ("events", format!("{channel} of {emitter_id}"))
        }
    };
    workflow.triggers.iter().map(line).collect()
}

pub(super) fn trigger_kind(trigger: &WorkflowTrigger) -> &'static str {
    match trigger {
        WorkflowTrigger::Http { .. } => "http",
        WorkflowTrigger::Schedule { .. } => "schedule",
        WorkflowTrigger::Events { .. } => "events",
    }
}
