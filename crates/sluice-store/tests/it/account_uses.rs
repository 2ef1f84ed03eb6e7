//! Which sources and workflows use an account.

use std::collections::BTreeMap;

use rstest::rstest;
use serde_json::{Map, Value, json};
use sluice_model::{
    AccountId, ComponentId, DeploymentId,
    workflow::{DeployedStep, RetryPolicy, WorkflowDefinition, WorkflowSettings},
};
use sluice_store::{
    Conn, Result, account_uses,
    deployments::{self, Deployment},
    sources::{self, Phase, Source},
    workflows::{self, Workflow},
};

use crate::support::{Db, TestStore, source, user_id, workflow, workflow_id};

fn naming(account: &str) -> Map<String, Value> {
    let props = json!({ "other": 1, "app": { "authProvisionId": account } });
    props.as_object().unwrap().clone()
}

/// Deploys a version whose second step has these props.
fn version(c: &mut dyn Conn, tail: &str, of: &str, props: Map<String, Value>) -> Result<()> {
    let step = |name: &str, props| DeployedStep {
        name: name.to_owned(),
        cell_id: format!("c_{name}"),
        component_id: ComponentId::parse("sc_a").unwrap(),
        props,
        declared: None,
        timeout_seconds: None,
        retry: RetryPolicy::default(),
    };
    let deployment = Deployment {
        id: DeploymentId::parse(&format!("d_{tail}")).unwrap(),
        workflow_id: workflow_id(of),
        number: u32::from(tail.ends_with("old")) + 1,
        definition: WorkflowDefinition {
            name: "W".to_owned(),
            description: None,
            env: BTreeMap::new(),
            triggers: Vec::new(),
            steps: vec![step("one", Map::new()), step("two", props)],
            settings: WorkflowSettings::default(),
        },
        document: "apn_a".to_owned(),
        files: BTreeMap::new(),
        created_at: 1,
    };
    deployments::insert(c, &deployment)
}

#[rstest]
fn whatever_names_the_account_in_a_prop_uses_it(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let using = |tail: &str, owner, at, props| Source {
            configured_props: props,
            ..source(tail, owner, at)
        };
        let mentioned = json!({ "app": { "authProvisionId": "apn_ab" }, "text": "apn_a" });
        sources::insert(c, &using("uses", &a, 4, naming("apn_a")))?;
        sources::insert(
            c,
            &using("mentions", &a, 5, mentioned.as_object().unwrap().clone()),
        )?;
        sources::insert(c, &using("foreign", &b, 6, naming("apn_a")))?;
        sources::insert(c, &source("without", &a, 7))?;
        let unborn = Source {
            phase: Phase::Creating,
            ..using("unborn", &a, 8, naming("apn_a"))
        };
        sources::insert(c, &unborn)?;
        for (tail, account, active) in [("runs", "apn_a", false), ("other", "apn_b", true)] {
            let row = Workflow {
                active,
                deployment_id: DeploymentId::parse(&format!("d_{tail}")).unwrap(),
                ..workflow(tail, &a, 4)
            };
            workflows::insert(c, &row)?;
            version(c, tail, tail, naming(account))?;
        }
        // Of a version that does not run any more.
        version(c, "otherold", "other", naming("apn_a"))?;

        let uses = |c: &mut dyn Conn, owner, account| {
            let uses = account_uses::of(c, owner, &AccountId::parse(account).unwrap())?;
            let shown = uses
                .iter()
                .map(|one| format!("{} {} {}", one.id, one.name, one.active));
            Result::Ok(shown.collect::<Vec<_>>())
        };
        let expected = ["p_runs W false", "dc_uses Source uses true"];
        assert_eq!(uses(c, &a, "apn_a")?, expected);
        assert_eq!(uses(c, &a, "apn_ab")?, ["dc_mentions Source mentions true"]);
        assert_eq!(uses(c, &b, "apn_a")?, ["dc_foreign Source foreign true"]);
        assert!(uses(c, &a, "apn_none")?.is_empty());
        Ok(())
    })
    .unwrap();
}
