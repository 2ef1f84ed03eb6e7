//! Carrying out a plan. A failed step is reported, and the others continue.

use std::{collections::BTreeMap, io};

use serde_json::{Map, Value, json};
use sluice_api::{Component, Source, Webhook, Workflow};

use super::plan::{Action, Effect, Plan, PlanError, SourceChange, Step};
use crate::commands::code::Code;
use crate::{
    client::{Client, escaped},
    commands::{
        output::{BAD, show, show_stderr, styled},
        snapshot::{
            folder::{Folder, Runs, Subscription},
            ids::Ids,
        },
    },
};

pub(crate) struct Executor<'a> {
    pub(crate) client: &'a Client,
    pub(crate) folder: &'a Folder,
    pub(crate) ids: Ids,
    /// The ids of saved components by code, or the error of saving them.
    pub(crate) saved: BTreeMap<Code, Result<String, String>>,
    pub(crate) done: usize,
    pub(crate) failures: Vec<PlanError>,
    /// With JSON output only the final report is printed.
    pub(crate) json: bool,
}

/// An error as text.
type ErrorText = String;

impl Executor<'_> {
    pub(crate) async fn execute(&mut self, plan: &Plan) -> anyhow::Result<()> {
        self.save_code_of_sources(plan).await?;
        let mut pending: Vec<&Step> = plan.steps.iter().collect();
        // A workflow may listen to a later one, so failed steps are retried as long as others succeed.
        loop {
            let done_before = self.done;
            let mut again = Vec::new();
            for step in pending {
                match self.run(step).await {
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
            pending = again.into_iter().map(|(step, _)| step).collect();
        }
    }

    /// Saves the code of sources first, so that a component of the folder with the same key is the newest.
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
                // The error is reported with the source.
                let _ = self.component(code).await;
                is_list_stale = true;
            }
        }
        if is_list_stale {
            let listed: Vec<Component> = self.client.all("/components").await?;
            for code in self.folder.components.values() {
                let is_planned = !self.saved.contains_key(code);
                if !is_planned && !listed.iter().any(|component| Code::of(component) == *code) {
                    self.saved.remove(code);
                    let _ = self.component(code).await;
                }
            }
        }
        Ok(())
    }

    /// Reports files with the same key: only one of them can be the newest, and each apply would replace the other.
    async fn check_components(&mut self, plan: &Plan) -> anyhow::Result<()> {
        let is_saved = |step: &Step| matches!(step.action, Action::SaveComponent { .. });
        if !plan.steps.iter().any(is_saved) {
            return Ok(());
        }
        let listed: Vec<Component> = self.client.all("/components").await?;
        for (stem, code) in &self.folder.components {
            let is_listed = listed.iter().any(|component| Code::of(component) == *code);
            if matches!(self.saved.get(code), Some(Ok(_))) && !is_listed {
                let reason = "another file has the same key, or the same name and no key: give one of them its own key";
                self.failed(&format!("components/{stem}"), reason)?;
            }
        }
        Ok(())
    }

    async fn run(&mut self, step: &Step) -> Result<(), ErrorText> {
        match &step.action {
            Action::SaveComponent { code, .. } => self.component(code).await.map(drop),
            Action::CreateWebhook(webhook) => {
                let body = json!({ "url": webhook.url, "name": webhook.name, "description": webhook.description,
                    "concurrency": webhook.concurrency });
                let created: Webhook = self.post("/webhooks", &body).await?;
                self.ids.insert(step.name.clone(), created.id.as_str());
                let path = format!("/webhooks/{}", created.id);
                self.deactivate_unless(webhook.active, &path).await
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
                self.deactivate_unless(source.active, &path).await
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

    async fn update_source(&mut self, id: &str, change: &SourceChange) -> Result<(), ErrorText> {
        let mut body = change.fields.clone();
        if let Some(runs) = &change.runs {
            body.extend(self.component_fields(runs).await?);
        }
        let path = format!("/sources/{id}");
        self.put::<Source>(&path, &body).await.map(drop)
    }

    async fn subscribe(&mut self, subscription: &Subscription) -> Result<(), ErrorText> {
        let id_of = |name: &str| {
            let id = self.ids.id_of(name);
            id.map(str::to_owned)
                .ok_or_else(|| format!("{name} does not exist"))
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
        let created: Result<sluice_api::Subscription, _> = self.post(path, &body).await;
        created.map(drop)
    }

    async fn component_fields(&mut self, runs: &Runs) -> Result<Map<String, Value>, ErrorText> {
        let (field, value) = match runs {
            Runs::Registry(key) => ("key", key.clone()),
            Runs::File { path, code } => {
                let saved = self.component(code).await;
                let id = saved.map_err(|error| format!("cannot save {path}: {error}"))?;
                ("component_id", id)
            }
        };
        Ok([(field.to_owned(), json!(value))].into_iter().collect())
    }

    /// The id of the component with this code. It is saved first if necessary.
    async fn component(&mut self, code: &Code) -> Result<String, ErrorText> {
        if let Some(saved) = self.saved.get(code) {
            return saved.clone();
        }
        let body = json!(code.to_create());
        let saved: Result<Component, ErrorText> = self.post("/components", &body).await;
        let saved = saved.map(|component| component.id.to_string());
        self.saved.insert(code.clone(), saved.clone());
        saved
    }

    async fn deactivate_unless(&self, active: bool, path: &str) -> Result<(), ErrorText> {
        if active {
            return Ok(());
        }
        let body = json!({ "active": false });
        self.put::<Value>(path, &body).await.map(drop)
    }

    async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        body: &impl serde::Serialize,
    ) -> Result<T, ErrorText> {
        let response = self.client.post(path, body).await;
        response.map_err(|error| error.to_string())
    }

    async fn put<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        body: &impl serde::Serialize,
    ) -> Result<T, ErrorText> {
        let response = self.client.put(path, body).await;
        response.map_err(|error| error.to_string())
    }

    async fn delete(&self, path: &str) -> Result<(), ErrorText> {
        let response = self.client.delete(path).await;
        response.map_err(|error| error.to_string())
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
        self.failures.push(PlanError {
            name: name.to_owned(),
            reason: reason.to_owned(),
        });
        show_stderr(&format!("{} {name}: {reason}\n", styled(BAD, "failed")))
    }
}
