//! Workflows as the API shows them.

use std::collections::{HashMap, HashSet};

use sluice_engine::EngineError;
use sluice_infra::Settings;
use sluice_model::{
    ComponentId, DeploymentId, EmitterId, EndpointKey, TimerSpec, UserId,
    workflow::{DeployedStep, DeployedTrigger, WorkflowDefinition, WorkflowSettings},
};
use sluice_store::{
    Conn, Page, StoreError,
    deployments::{self, VersionDefinition},
    endpoints, inbox,
    timers::{self, Timer},
    workflows::{self, Workflow},
};

use super::service::Workflows;
use crate::{activity::EmitterSelection, components::apps_by_component, listing::Listing};

pub struct WorkflowView {
    pub workflow: Workflow,
    /// The number of the current version.
    pub version: u32,
    pub description: Option<String>,
    pub triggers: Vec<TriggerView>,
    pub steps: Vec<StepView>,
    pub settings: WorkflowSettings,
    /// Number of queued events.
    pub queued: u64,
}

/// A step of a version.
pub struct StepView {
    pub name: String,
    pub cell_id: String,
    pub component_id: ComponentId,
    /// The slug of the app of its component.
    pub app: Option<String>,
}

pub enum TriggerView {
    Http {
        endpoint_url: Option<String>,
        custom_response: bool,
    },
    Schedule {
        timer: TimerSpec,
        next_at: Option<i64>,
    },
    Events {
        emitter_id: String,
        event_name: String,
    },
}

impl Workflows {
    /// The user's workflow with this id or slug.
    pub async fn get(&self, user: &UserId, id_or_slug: &str) -> Result<WorkflowView, EngineError> {
        let workflow = self.row(user, id_or_slug).await?;
        let settings = self.infra.settings.clone();
        let viewed = self
            .infra
            .store
            .read(move |c| views(c, vec![workflow], &settings));
        viewed.await?.pop().ok_or(EngineError::NotFound("workflow"))
    }

    pub async fn list(
        &self,
        user: &UserId,
        selection: &EmitterSelection,
        page: Page,
    ) -> Result<Listing<WorkflowView>, EngineError> {
        let user = user.clone();
        let filter = selection.filter(self.infra.now_ms());
        let settings = self.infra.settings.clone();
        let listing = self.infra.store.read(move |c| {
            let total = workflows::count(c, &user, &filter)?;
            let page = workflows::page(c, &user, &filter, &page)?;
            let rows = views(c, page, &settings)?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }
}

fn step_views(steps: Vec<DeployedStep>, apps: &HashMap<ComponentId, String>) -> Vec<StepView> {
    let view = |step: DeployedStep| StepView {
        app: apps.get(&step.component_id).cloned(),
        name: step.name,
        cell_id: step.cell_id,
        component_id: step.component_id,
    };
    steps.into_iter().map(view).collect()
}

/// The steps of one version.
pub(super) fn steps_of(
    c: &mut dyn Conn,
    definition: &WorkflowDefinition,
) -> Result<Vec<StepView>, StoreError> {
    let used = definition.steps.iter().map(|step| &step.component_id);
    let apps = apps_by_component(c, &used.collect())?;
    Ok(step_views(definition.steps.clone(), &apps))
}

/// Workflows that were just removed are left out.
fn views(
    c: &mut dyn Conn,
    workflows: Vec<Workflow>,
    settings: &Settings,
) -> Result<Vec<WorkflowView>, StoreError> {
    let mut related = RelatedRows::of(c, &workflows)?;
    let view = |workflow| related.view(workflow, settings);
    Ok(workflows.into_iter().filter_map(view).collect())
}

/// The rows that belong to workflows. Read with a fixed number of queries, however many workflows there are.
struct RelatedRows {
    versions: HashMap<DeploymentId, VersionDefinition>,
    endpoints: HashMap<EmitterId, EndpointKey>,
    timers: HashMap<EmitterId, Vec<Timer>>,
    queued: HashMap<EmitterId, u64>,
    /// By the components of steps.
    apps: HashMap<ComponentId, String>,
}

impl RelatedRows {
    fn of(c: &mut dyn Conn, workflows: &[Workflow]) -> Result<RelatedRows, StoreError> {
        let ids: Vec<EmitterId> = workflows.iter().map(|one| one.id.clone().into()).collect();
        let versions: Vec<DeploymentId> = workflows
            .iter()
            .map(|one| one.deployment_id.clone())
            .collect();
        let mut endpoints = HashMap::new();
        for endpoint in endpoints::of_emitters(c, &ids)? {
            let first = endpoints.entry(endpoint.emitter_id);
            first.or_insert(endpoint.key);
        }
        let mut timers: HashMap<EmitterId, Vec<Timer>> = HashMap::new();
        for timer in timers::of_emitters(c, &ids)? {
            let own = timers.entry(timer.emitter_id.clone()).or_default();
            own.push(timer);
        }
        let versions = deployments::defined(c, &versions)?;
        let steps = versions
            .values()
            .flat_map(|version| &version.definition.steps);
        let used: HashSet<&ComponentId> = steps.map(|step| &step.component_id).collect();
        Ok(RelatedRows {
            apps: apps_by_component(c, &used)?,
            versions,
            endpoints,
            timers,
            queued: inbox::counts(c, &ids)?,
        })
    }

    fn view(&mut self, workflow: Workflow, settings: &Settings) -> Option<WorkflowView> {
        let VersionDefinition { number, definition } =
            self.versions.remove(&workflow.deployment_id)?;
        let endpoint = self.endpoints.remove(&*workflow.id);
        let endpoint_url = endpoint.map(|key| settings.endpoint_url(&key));
        let mut timers = self.timers.remove(&*workflow.id).unwrap_or_default();
        let triggers = definition
            .triggers
            .into_iter()
            .map(|trigger| match trigger {
                DeployedTrigger::Http { custom_response } => TriggerView::Http {
                    endpoint_url: endpoint_url.clone(),
                    custom_response,
                },
                DeployedTrigger::Schedule { timer } => {
                    let row = timers.iter().position(|row| row.spec == timer);
                    TriggerView::Schedule {
                        next_at: row.and_then(|row| timers.swap_remove(row).due_at),
                        timer,
                    }
                }
                DeployedTrigger::Events {
                    emitter_id,
                    event_name,
                } => TriggerView::Events {
                    emitter_id,
                    event_name,
                },
            });
        Some(WorkflowView {
            version: number,
            description: definition.description,
            triggers: triggers.collect(),
            steps: step_views(definition.steps, &self.apps),
            settings: definition.settings,
            queued: self.queued.get(&*workflow.id).copied().unwrap_or(0),
            workflow,
        })
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::WorkflowId;
    use sluice_store::{Dialect, Location, Row, Store, StoreOptions, Value};

    use super::*;

    /// A connection that counts its queries.
    struct Counting<'c> {
        conn: &'c mut dyn Conn,
        queries: usize,
    }

    impl Conn for Counting<'_> {
        fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64, StoreError> {
            self.conn.execute(sql, params)
        }

        fn query(
            &mut self,
            sql: &str,
            params: &[Value<'_>],
            each: &mut dyn FnMut(&Row<'_>) -> Result<(), StoreError>,
        ) -> Result<(), StoreError> {
            self.queries += 1;
            self.conn.query(sql, params, each)
        }

        fn execute_script(&mut self, sql: &str) -> Result<(), StoreError> {
            self.conn.execute_script(sql)
        }

        fn dialect(&self) -> Dialect {
            self.conn.dialect()
        }
    }

    fn workflow(number: u32) -> Workflow {
        Workflow {
            id: WorkflowId::parse(&format!("p_{number}")).unwrap(),
            user_id: UserId::parse("u_a").unwrap(),
            name: "W".to_owned(),
            name_slug: format!("w-{number}"),
            active: true,
            internal: false,
            deployment_id: DeploymentId::parse(&format!("d_{number}")).unwrap(),
            created_at: 1,
            updated_at: 1,
        }
    }

    #[tokio::test]
    async fn a_page_of_workflows_takes_as_many_queries_as_one_workflow() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sluice.db");
        let store = Store::open(StoreOptions::new(Location::Sqlite(path))).unwrap();
        let queries_for = |count| {
            store.read(move |conn| {
                let workflows: Vec<Workflow> = (0..count).map(workflow).collect();
                let mut counting = Counting { conn, queries: 0 };
                RelatedRows::of(&mut counting, &workflows)?;
                Ok(counting.queries)
            })
        };
        let of_one = queries_for(1).await.unwrap();
        assert_eq!(queries_for(100).await.unwrap(), of_one);
    }
}
