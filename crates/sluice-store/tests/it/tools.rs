//! Tools, and the workflow of action runs.

use std::collections::BTreeMap;

use rstest::rstest;
use sluice_model::{
    DeploymentId,
    workflow::{RunOrigin, WorkflowDefinition, WorkflowSettings},
};
use sluice_store::{
    Conn, Result,
    deployments::{self, Deployment},
    emitters::EmitterFilter,
    flow,
    run_pruning::{self, RunKey},
    runs::{self, Run, RunState},
    tools::{self, Tool},
    users::{self, EmitterCounts},
    workflows::{self, Workflow},
};

use crate::support::{Db, TestStore, invocation_ids, user, user_id, workflow, workflow_id};

fn tool(name: &str, component: &str, at: i64) -> Tool {
    Tool {
        user_id: user_id("a"),
        name: name.to_owned(),
        component: component.to_owned(),
        description: None,
        props_sealed: "sealed".to_owned(),
        created_at: at,
        updated_at: at,
    }
}

#[rstest]
fn a_tool_is_replaced_by_its_name_and_goes_with_its_user(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        users::insert(c, &user("a"), "a")?;
        tools::put(c, &tool("two", "x", 1))?;
        tools::put(c, &tool("one", "x", 2))?;
        tools::put(c, &tool("two", "y", 3))?;
        assert_eq!(tools::count(c, &user_id("a"))?, 2);
        let replaced = Tool {
            created_at: 1,
            ..tool("two", "y", 3)
        };
        assert_eq!(tools::get(c, &user_id("a"), "two")?, Some(replaced.clone()));
        assert_eq!(tools::get(c, &user_id("b"), "two")?, None);
        assert_eq!(
            tools::list(c, &user_id("a"))?,
            [tool("one", "x", 2), replaced]
        );
        assert!(tools::remove(c, &user_id("a"), "one")?);
        assert!(!tools::remove(c, &user_id("a"), "one")?);
        users::remove(c, &user_id("a"))?;
        assert_eq!(tools::list(c, &user_id("a"))?, []);
        Ok(())
    })
    .unwrap();
}

fn version(c: &mut dyn Conn, tail: &str, number: u32) -> Result<DeploymentId> {
    let id = DeploymentId::parse(&format!("d_{tail}")).unwrap();
    let definition = WorkflowDefinition {
        name: "W".to_owned(),
        description: None,
        env: BTreeMap::new(),
        triggers: Vec::new(),
        steps: Vec::new(),
        settings: WorkflowSettings::default(),
    };
    let deployment = Deployment {
        id: id.clone(),
        workflow_id: workflow_id("a"),
        number,
        definition,
        document: String::new(),
        files: BTreeMap::new(),
        created_at: 1,
    };
    deployments::insert(c, &deployment)?;
    Ok(id)
}

#[rstest]
fn the_workflow_of_action_runs_is_in_no_list_and_loses_versions_with_their_runs(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        users::insert(c, &user("a"), "a")?;
        let hidden = Workflow {
            internal: true,
            deployment_id: version(c, "empty", 1)?,
            ..workflow("a", &a, 1)
        };
        workflows::insert(c, &hidden)?;
        assert_eq!(workflows::of_actions(c, &a)?, Some(hidden.clone()));
        assert_eq!(workflows::get(c, &a, &hidden.id)?, None);
        assert_eq!(workflows::by_slug(c, &a, &hidden.name_slug)?, None);
        assert!(!workflows::hold(c, &a, &hidden.id)?);
        assert_eq!(workflows::count(c, &a, &EmitterFilter::default())?, 0);
        assert_eq!(flow::workflows(c, &a)?, []);
        assert_eq!(users::running(c, &a)?, EmitterCounts::default());

        let run = invocation_ids(1)[0];
        let ran = version(c, "ran", 2)?;
        let row = Run {
            id: run,
            workflow_id: hidden.id.clone(),
            deployment_id: ran.clone(),
            state: RunState::Succeeded,
            origin: RunOrigin {
                source_type: "action".to_owned(),
                emitter_id: None,
                event_id: None,
                replay_of: None,
                key_id: None,
            },
            depth: 0,
            accepted_at: 1,
            started_at: 1,
            finished_at: Some(2),
            due_at: None,
            pause: None,
            pause_key: None,
            error: None,
            exit_reason: None,
            event: "{}".to_owned(),
            trace: None,
        };
        runs::begin(c, &row)?;
        let workflow = hidden.id.clone();
        run_pruning::remove(c, vec![RunKey { workflow, run }])?;
        assert_eq!(runs::get(c, &hidden.id, &run)?, None);
        assert_eq!(deployments::get(c, &ran)?, None);
        assert!(deployments::get(c, &hidden.deployment_id)?.is_some());
        users::remove(c, &a)?;
        assert_eq!(workflows::get_for_run(c, &hidden.id)?, None);
        Ok(())
    })
    .unwrap();
}
