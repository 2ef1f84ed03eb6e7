//! The triggers of a workflow. The document has their ids, of which the prefix is the kind.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::{
    listings::id_of,
    names::Names,
    report::{Kind, Report},
};
use super::synced::SyncedWorkflow;
use crate::commands::snapshot::folder::Source;

const DEFAULT_CHANNEL: &str = "default";

/// Context of the triggers of one workflow.
pub(super) struct Triggers<'a> {
    pub(super) workflow: &'a SyncedWorkflow,
    pub(super) place: &'a str,
    pub(super) names: &'a Names<'a>,
    /// The imported sources.
    pub(super) sources: &'a BTreeMap<String, Source>,
    pub(super) report: &'a mut Report,
}

impl Triggers<'_> {
    /// The triggers in the form of a document. The others are reported.
    pub(super) fn translate(&mut self) -> Vec<Value> {
        let given = self.workflow.document.get("triggers");
        let given = given.and_then(Value::as_array).cloned();
        let mut triggers = Vec::new();
        for trigger in given.unwrap_or_default() {
            let shown = match id_of(&trigger) {
                Some(id) => id.to_owned(),
                None => trigger.to_string(),
            };
            match self.one(&trigger) {
                Ok(new) if new.get("http").is_some() && has_http(&triggers) => {
                    let text = format!(
                        "the trigger {shown} was left out: a workflow has one HTTP endpoint"
                    );
                    self.report.add(Kind::NoEquivalent, self.place, text);
                }
                Ok(new) if triggers.contains(&new) => {}
                Ok(new) => triggers.push(new),
                Err((kind, reason)) => {
                    let text = format!("the trigger {shown} was left out: {reason}");
                    self.report.add(kind, self.place, text);
                }
            }
        }
        triggers
    }

    fn one(&mut self, trigger: &Value) -> Result<Value, (Kind, String)> {
        let Some(id) = id_of(trigger) else {
            return Err((Kind::NotImported, "it has no id".to_owned()));
        };
        // Fields in the file win over those of the API.
        let mut details = Map::new();
        for source in [self.workflow.trigger(id), Some(trigger)] {
            let fields = source.and_then(Value::as_object).into_iter().flatten();
            details.extend(fields.map(|(name, value)| (name.clone(), value.clone())));
        }
        match id.split_once('_').map(|(prefix, _)| prefix) {
            Some("hi") => Ok(self.http(&details)),
            Some("ti") => schedule(&details),
            Some("dc" | "p") => self.events(id, ""),
            Some("sub") => self.subscription(id),
            Some("ei") => Err((
                Kind::NoEquivalent,
                "workflows have no mail address here: forward the mail to an HTTP endpoint"
                    .to_owned(),
            )),
            _ => Err((
                Kind::NotImported,
                "this kind of trigger is not known".to_owned(),
            )),
        }
    }

    fn http(&mut self, details: &Map<String, Value>) -> Value {
        let text = |name: &str| details.get(name).and_then(Value::as_str);
        let old = text("endpoint_url").unwrap_or("its HTTP trigger");
        self.report.endpoint(self.place, old);
        match details.get("custom_response").and_then(Value::as_bool) {
            Some(custom) => json!({ "http": { "custom_response": custom } }),
            None => json!({ "http": {} }),
        }
    }

    fn subscription(&self, id: &str) -> Result<Value, (Kind, String)> {
        let Some(row) = self.names.subscription(id) else {
            let reason = "the API does not list this subscription";
            return Err((Kind::NotImported, reason.to_owned()));
        };
        let event = row.event_name.as_deref().unwrap_or_default();
        self.events(&row.emitter_id, event)
    }

    fn events(&self, emitter: &str, event: &str) -> Result<Value, (Kind, String)> {
        let is_pattern = matches!(emitter, "dc_*" | "p_*");
        let from = if is_pattern {
            emitter
        } else {
            self.emitter(emitter)?
        };
        let mut events = json!({ "from": from });
        if !event.is_empty() && event != DEFAULT_CHANNEL {
            events["event_name"] = json!(event);
        }
        Ok(json!({ "events": events }))
    }

    fn emitter(&self, id: &str) -> Result<&str, (Kind, String)> {
        let missing = || {
            let reason = format!("{id} is not part of the import");
            (Kind::NotImported, reason)
        };
        let slug = self.names.emitter(id).ok_or_else(missing)?;
        let is_missing_source = self.names.source(id).is_some() && !self.sources.contains_key(slug);
        if is_missing_source {
            return Err(missing());
        }
        Ok(slug)
    }
}

fn has_http(triggers: &[Value]) -> bool {
    triggers.iter().any(|trigger| trigger.get("http").is_some())
}

fn schedule(details: &Map<String, Value>) -> Result<Value, (Kind, String)> {
    let given = |name: &str| details.get(name).filter(|value| !value.is_null());
    if let Some(cron) = given("cron").and_then(Value::as_str) {
        let mut schedule = json!({ "cron": cron });
        if let Some(timezone) = given("timezone") {
            schedule["timezone"] = timezone.clone();
        }
        return Ok(json!({ "schedule": schedule }));
    }
    match given("interval_seconds").and_then(Value::as_u64) {
        Some(seconds) => Ok(json!({ "schedule": { "interval_seconds": seconds } })),
        None => Err((
            Kind::NotImported,
            "its schedule is not in the files, and the API did not give it: add `schedule` to the document".to_owned(),
        )),
    }
}
