//! The text of a run of an action.

use serde_json::Value;
use sluice_api::ActionRun;
use sluice_model::workflow::RunError;

use crate::commands::output::{
    BAD, CHANGED, FAINT, GOOD, duration, fields, local_time, sanitized, show, show_stderr, styled,
};

/// Writes the log lines to standard error.
pub(super) fn show_logs(run: &ActionRun) -> anyhow::Result<()> {
    for line in logs(run) {
        show_stderr(&format!("{}\n", styled(FAINT, &sanitized(&line))))?;
    }
    Ok(())
}

/// Writes the value to standard output, or says on standard error why there is none.
pub(super) fn outcome(run: &ActionRun) -> anyhow::Result<()> {
    if let Some(error) = &run.error {
        let stack = sanitized(&error.stack);
        let text = if stack.is_empty() {
            error_text(error)
        } else {
            stack
        };
        return Ok(show_stderr(&format!("{}\n", styled(BAD, &text)))?);
    }
    match &run.return_value {
        Some(value) => {
            let value: Value = serde_json::from_str(value.get())?;
            Ok(show(&format!(
                "{}\n",
                serde_json::to_string_pretty(&value)?
            ))?)
        }
        None => Ok(show_stderr(&format!(
            "The run is {}. See `sluice actions runs {}`\n",
            run.state, run.id
        ))?),
    }
}

/// All details of one run.
pub(super) fn details(run: &ActionRun) -> String {
    let mut lines = vec![
        ("run", run.id.to_string()),
        ("action", action(run)),
        ("state", state(&run.state)),
        ("accepted", local_time(run.accepted_at_ms)),
    ];
    lines.extend(run.duration_ms.map(|ms| ("took", duration(ms))));
    let original = run.replay_of.as_ref();
    lines.extend(original.map(|id| ("replay of", id.to_string())));
    lines.extend(run.key_id.clone().map(|key| ("API key", key)));
    if let Some(waits) = &run.waits_for {
        let urls = [("resume", &waits.resume_url), ("cancel", &waits.cancel_url)];
        let urls = urls.into_iter();
        lines.extend(urls.filter_map(|(name, url)| Some((name, url.clone()?))));
    }
    let props = Value::Object(run.configured_props.clone());
    lines.push(("props", sanitized(&props.to_string())));
    let value = run.return_value.as_ref();
    lines.extend(value.map(|value| ("value", sanitized(value.get()))));
    for (name, value) in run.exports.iter().flatten() {
        lines.push((name, sanitized(&value.to_string())));
    }
    lines.extend(run.error.as_ref().map(|error| ("error", error_text(error))));
    let logs = logs(run)
        .into_iter()
        .map(|line| format!("{}\n", styled(FAINT, &format!("│ {}", sanitized(&line)))));
    fields(&lines) + &logs.collect::<String>()
}

/// The key of the action, or its name.
pub(super) fn action(run: &ActionRun) -> String {
    let action = run.action.as_ref();
    let name = action.map(|action| action.key.as_ref().unwrap_or(&action.name));
    name.map_or_else(|| "-".to_owned(), |name| sanitized(name))
}

pub(super) fn error_text(error: &RunError) -> String {
    sanitized(&format!("{}: {}", error.code, error.message))
}

pub(super) fn state(state: &str) -> String {
    let style = match state {
        "succeeded" => GOOD,
        "failed" | "cancelled" => BAD,
        _ => CHANGED,
    };
    styled(style, state)
}

fn logs(run: &ActionRun) -> Vec<String> {
    let lines = run.logs.as_ref();
    let lines = lines.and_then(|lines| serde_json::from_str(lines.get()).ok());
    let Some(Value::Array(lines)) = lines else {
        return Vec::new();
    };
    let message = |line: &Value| line["message"].as_str().map(str::to_owned);
    lines.iter().filter_map(message).collect()
}
