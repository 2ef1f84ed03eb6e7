//! The settings of a workflow.

use serde_json::{Map, Value, json};

use super::super::report::{Kind, Report};

const MAX_TIMEOUT: u64 = 3600;
const MAX_CONCURRENCY: u64 = 1000;

/// The settings that exist here. The others are reported.
pub(super) fn settings(
    given: Option<&Value>,
    place: &str,
    report: &mut Report,
) -> Map<String, Value> {
    let mut settings = Map::new();
    let given = given.and_then(Value::as_object);
    for (name, value) in given.into_iter().flatten() {
        let number = value.as_u64().filter(|number| *number > 0);
        match (name.as_str(), number) {
            ("lambda_timeout", Some(seconds)) => {
                settings.insert(
                    "timeout_seconds".to_owned(),
                    json!(seconds.min(MAX_TIMEOUT)),
                );
            }
            ("concurrency", Some(runs)) => {
                settings.insert("concurrency".to_owned(), json!(runs.min(MAX_CONCURRENCY)));
            }
            ("lambda_memory", _) => {
                let text = format!(
                    "the setting lambda_memory ({value}) is for all processes of the server here: `sluice serve --max-memory`"
                );
                report.add(Kind::NoEquivalent, place, text);
            }
            ("error_notification", _) => {
                if value == &Value::Bool(true) {
                    let text =
                        "errors are not sent by mail: subscribe a webhook or a workflow to $errors";
                    report.add(Kind::NoEquivalent, "all workflows", text);
                }
            }
            _ => {
                let text = format!("the setting {name} ({value}) is not known and was left out");
                report.add(Kind::NoEquivalent, place, text);
            }
        }
    }
    settings
}
