//! Doing what was planned. What fails is reported, and the rest goes on.

use std::{collections::BTreeMap, io};

use serde_json::{Map, Value, json};
use sluice_api::{Component, Source, Webhook, Workflow};

use super::{
    folder::{Folder, Runs, Subscription},
    ids::Ids,
    plan::{Action, Effect, Plan, Problem, SourceChange, Step},
};
use crate::{
    client::{Client, escaped},
    commands::output::{BAD, complain, show, styled},
};

pub(crate) struct Acting<'a> {
    pub(crate) client: &'a Client,
    pub(crate) folder: &'a Folder,
    pub(crate) ids: Ids,
    /// Saved components by their code, or why they could not be saved.
    pub(crate) saved: BTreeMap<String, Result<String, String>>,
    pub(crate) done: usize,
    pub(crate) failures: Vec<Problem>,
    /// Whether a program reads standard output, which is told of it all in the end.
    pub(crate) json: bool,
}

/// Why something failed, in words.
type Reason = String;

impl Acting<'_> {
    pub(crate) async fn act(&mut self, plan: &Plan) -> anyhow::Result<()> {
        self.save_code_of_sources(plan).await?;
        let mut waiting: Vec<&Step> = plan.steps.iter().collect();
        // A workflow may listen to one that comes after it, so what failed is tried again as long as others succeed.
        loop {
            let done_before = self.done;
            let mut again = Vec::new();
            for step in waiting {
                match self.take(step).await {
                    Ok(()) => self.succeeded(step)?,
                    Err(reason) => again.push((step, reason)),
                }
            }
            let is_workflow = |step: &Step| matches!(step.action, Action::CreateWorkflow { .. });
            let may_succeed = again.iter().any(|(step, _)| is_workflow(step));
            if self.done == done_before || !may_succeed {
                for (step, reason) in again {
                    self.failed(&step.name, &reason)?;
                }
                return self.check_components(plan).await;
            }
            waiting = again.into_iter().map(|(step, _)| step).collect();
        }
    }

    /// Saves code that only sources use before the components of the folder: if they have a key in common, theirs is the newest.
    async fn save_code_of_sources(&mut self, plan: &Plan) -> anyhow::Result<()> {
        let runs = plan.steps.iter().filter_map(|step| match &step.action {
            Action::CreateSource { source, .. } => Some(&source.runs),
            Action::UpdateSource { change, .. } => change.runs.as_ref(),
            _ => None,
        });
        let mut is_list_stale = false;
        for runs in runs {
            if let Runs::File { code, .. } = runs
                && !self
                    .folder
                    .components
                    .values()
                    .any(|library| library == code)
                && !self.saved.contains_key(code)
            {
                // Why it failed is told with the source.
                let _ = self.component(code).await;
                is_list_stale = true;
            }
        }
        if is_list_stale {
            let listed: Vec<Component> = self.client.all("/components").await?;
            for code in self.folder.components.values() {
                let is_planned = !self.saved.contains_key(code);
                if !is_planned && !listed.iter().any(|component| component.code == *code) {
                    self.saved.remove(code);
                    let _ = self.component(code).await;
                }
            }
        }
        Ok(())
    }

    /// Of files with the same key, only one can be the newest, and they would replace each other with every apply.
    async fn check_components(&mut self, plan: &Plan) -> anyhow::Result<()> {
        let is_saved = |step: &Step| matches!(step.action, Action::SaveComponent { .. });
        if !plan.steps.iter().any(is_saved) {
            return Ok(());
        }
        let listed: Vec<Component> = self.client.all("/components").await?;
        for (stem, code) in &self.folder.components {
            let is_listed = listed.iter().any(|component| component.code == *code);
            if matches!(self.saved.get(code), Some(Ok(_))) && !is_listed {
                let reason = "another file has the same key, or the same name without a key: give one of them a key of its own";
                self.failed(&format!("components/{stem}"), reason)?;
            }
        }
        Ok(())
    }

    async fn take(&mut self, step: &Step) -> Result<(), Reason> {
        match &step.action {
            Action::SaveComponent { code, .. } => self.component(code).await.map(drop),
            Action::CreateWebhook(webhook) => {
                let body = json!({ "url": webhook.url, "name": webhook.name, "description": webhook.description,
                    "concurrency": webhook.concurrency });
                let created: Webhook = self.post("/webhooks", &body).await?;
                self.ids.insert(step.name.clone(), created.id.as_str());
                let path = format!("/webhooks/{}", created.id);
                self.switch_off_unless(webhook.active, &path).await
            }
            Action::UpdateWebhook { id, change } => {
                let path = format!("/webhooks/{id}");
                self.put::<Webhook>(&path, change).await.map(drop)
            }
            Action::CreateSource { source, props } => {
                let mut body = self.component_fields(&source.runs).await?;
                body.insert("name".to_owned(), json!(source.name));
                body.insert("configured_props".to_owned(), json!(props));
                body.insert("retention".to_owned(), json!(source.retention));
                let created: Source = self.post("/sources", &body).await?;
                self.ids.insert(step.name.clone(), created.id.as_str());
                let path = format!("/sources/{}", created.id);
                self.switch_off_unless(source.active, &path).await
            }
            Action::UpdateSource { id, change } => self.update_source(id, change).await,
            Action::CreateWorkflow { workflow, secrets } => {
                let body = json!({ "document": workflow.document, "files": workflow.files, "secrets": secrets,
                    "active": workflow.active });
                let created: Workflow = self.post("/workflows", &body).await?;
                self.ids.insert(step.name.clone(), created.id.as_str());
                Ok(())
            }
            Action::UpdateWorkflow { id, change } => {
                let path = format!("/workflows/{id}");
                self.put::<Workflow>(&path, change).await.map(drop)
            }
            Action::Subscribe(subscription) => self.subscribe(subscription).await,
            Action::Unsubscribe(subscription) => {
                let path = format!(
                    "/subscriptions?emitter_id={}&listener_id={}&event_name={}",
                    escaped(&subscription.emitter_id),
                    escaped(&subscription.listener_id),
                    escaped(&subscription.event_name)
                );
                self.delete(&path).await
            }
            Action::DeleteWorkflow(id) => self.delete(&format!("/workflows/{id}")).await,
            Action::DeleteSource(id) => self.delete(&format!("/sources/{id}")).await,
            Action::DeleteWebhook(id) => self.delete(&format!("/webhooks/{id}")).await,
        }
    }

    async fn update_source(&mut self, id: &str, change: &SourceChange) -> Result<(), Reason> {
        let mut body = change.fields.clone();
        if let Some(runs) = &change.runs {
            body.extend(self.component_fields(runs).await?);
        }
        let path = format!("/sources/{id}");
        self.put::<Source>(&path, &body).await.map(drop)
    }

    async fn subscribe(&mut self, subscription: &Subscription) -> Result<(), Reason> {
        let id_of = |name: &str| {
            let id = self.ids.id_of(name);
            id.map(str::to_owned)
                .ok_or_else(|| format!("there is no {name}"))
        };
        let listener = id_of(&subscription.to)?;
        let (path, body) = if subscription.is_automatic() {
            let body = json!({ "event_name": subscription.event, "listener_id": listener });
            ("/auto_subscriptions", body)
        } else {
            let emitter = id_of(&subscription.from)?;
            let body = json!({ "emitter_id": emitter, "event_name": subscription.event, "listener_id": listener });
            ("/subscriptions", body)
        };
        let made: Result<sluice_api::Subscription, _> = self.post(path, &body).await;
        made.map(drop)
    }

    async fn component_fields(&mut self, runs: &Runs) -> Result<Map<String, Value>, Reason> {
        let (field, value) = match runs {
            Runs::Registry(key) => ("key", key.clone()),
            Runs::File { path, code } => {
                let saved = self.component(code).await;
                let id = saved.map_err(|reason| format!("{path} could not be saved: {reason}"))?;
                ("component_id", id)
            }
        };
        Ok([(field.to_owned(), json!(value))].into_iter().collect())
    }

    /// The id of the component with this code, which is saved if it is not yet.
    async fn component(&mut self, code: &str) -> Result<String, Reason> {
        if let Some(saved) = self.saved.get(code) {
            return saved.clone();
        }
        let body = json!({ "component_code": code });
        let saved: Result<Component, Reason> = self.post("/components", &body).await;
        let saved = saved.map(|component| component.id.to_string());
        self.saved.insert(code.to_owned(), saved.clone());
        saved
    }

    async fn switch_off_unless(&self, active: bool, path: &str) -> Result<(), Reason> {
        if active {
            return Ok(());
        }
        let off = json!({ "active": false });
        self.put::<Value>(path, &off).await.map(drop)
    }

    async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        body: &impl serde::Serialize,
    ) -> Result<T, Reason> {
        let answer = self.client.post(path, body).await;
        answer.map_err(|error| error.to_string())
    }

    async fn put<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        body: &impl serde::Serialize,
    ) -> Result<T, Reason> {
        let answer = self.client.put(path, body).await;
        answer.map_err(|error| error.to_string())
    }

    async fn delete(&self, path: &str) -> Result<(), Reason> {
        let answer = self.client.delete(path).await;
        answer.map_err(|error| error.to_string())
    }

    fn succeeded(&mut self, step: &Step) -> io::Result<()> {
        self.done += 1;
        let verb = match step.action.effect() {
            Effect::Create => "created",
            Effect::Update => "updated",
            Effect::Delete => "deleted",
        };
        if self.json {
            return Ok(());
        }
        show(&format!("{verb} {}\n", step.name))
    }

    fn failed(&mut self, name: &str, reason: &str) -> io::Result<()> {
        self.failures.push(Problem {
            name: name.to_owned(),
            reason: reason.to_owned(),
        });
        complain(&format!("{} {name}: {reason}\n", styled(BAD, "failed")))
    }
}
