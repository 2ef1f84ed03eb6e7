//! From a request to the step of a run: the component is found, and its props are checked as those of a source are.

use serde_json::{Map, Value, json};
use sluice_engine::{EngineError, process::credentials::is_app, secrets};
use sluice_model::{
    ComponentKind, ComponentShape, PropDef, UserId, WorkflowId, configure, merged,
    workflow::{DeployedStep, RetryPolicy, WorkflowSettings},
};
use sluice_store::components::Component;

use super::{request::RunAction, service::Actions};
use crate::forms::{Asked, given_for};

/// A step, and the component that it runs.
pub(super) struct Prepared {
    pub(super) component: Component,
    pub(super) step: DeployedStep,
}

impl Actions {
    pub(super) async fn prepare(
        &self,
        user: &UserId,
        home: &WorkflowId,
        request: RunAction,
    ) -> Result<Prepared, EngineError> {
        let RunAction {
            component,
            mut configured_props,
            account,
            dynamic_props_id,
            timeout_seconds,
            wait: _,
            tool: _,
            trace: _,
        } = request;
        check_timeout(timeout_seconds)?;
        let component = self.components.resolve(user, component).await?;
        must_be_an_action(&component.shape)?;
        if let Some(account) = account {
            use_account(&component.shape, &mut configured_props, &account)?;
        }
        let given = configured_props;
        let asked = Asked {
            user,
            component: &component,
            dynamic: &[],
            given: &given,
            previous: None,
        };
        let declared = self.forms.declared_props(&asked, dynamic_props_id).await?;
        let props = merged(&component.shape.props, &declared.props);
        let given = given_for(&component, &props, given);
        let checked = configure(&props, &given, None);
        let values = self
            .account_props
            .check(user, &props, &given, checked)
            .await?;
        let values = secrets::seal(&self.infra.vault, &mut self.infra.ids.rng(), &props, values);
        let step = step_of(&component, home, props, values, timeout_seconds);
        Ok(Prepared { component, step })
    }
}

fn step_of(
    component: &Component,
    home: &WorkflowId,
    declared: Vec<PropDef>,
    props: Map<String, Value>,
    timeout_seconds: Option<u32>,
) -> DeployedStep {
    let name = step_name(component);
    DeployedStep {
        cell_id: DeployedStep::cell_id(home, &name),
        name,
        component_id: component.id.clone(),
        props,
        declared: Some(declared),
        timeout_seconds,
        retry: RetryPolicy::default(),
    }
}

/// The key of the component. Its name in errors, and that of its `$.service.db`, which its runs share.
fn step_name(component: &Component) -> String {
    let key = component.key.as_deref().unwrap_or(component.id.as_str());
    let allowed = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
    let name = key
        .chars()
        .map(|char| if allowed(char) { char } else { '_' });
    name.collect()
}

pub(crate) fn must_be_an_action(shape: &ComponentShape) -> Result<(), EngineError> {
    if shape.kind == ComponentKind::Action {
        return Ok(());
    }
    Err(EngineError::Invalid(
        "the component is a source, not an action: deploy it instead".to_owned(),
    ))
}

fn check_timeout(seconds: Option<u32>) -> Result<(), EngineError> {
    let range = WorkflowSettings::TIMEOUT_SECONDS;
    if seconds.is_none_or(|seconds| range.contains(&seconds)) {
        return Ok(());
    }
    Err(EngineError::BadRequest(format!(
        "timeout_seconds must be from {} to {}",
        range.start(),
        range.end()
    )))
}

/// Binds an account to the only app prop.
pub(crate) fn use_account(
    shape: &ComponentShape,
    props: &mut Map<String, Value>,
    account: &str,
) -> Result<(), EngineError> {
    let mut apps = shape.props.iter().filter(|prop| is_app(prop));
    let problem = match (apps.next(), apps.next()) {
        (Some(app), None) => {
            props.insert(app.name.clone(), json!({ "authProvisionId": account }));
            return Ok(());
        }
        (None, _) => "uses no app, so it takes no account",
        (Some(_), Some(_)) => "uses several apps: name the account of each in configured_props",
    };
    Err(EngineError::InvalidRecord {
        field: "account",
        errors: vec![format!("the action {problem}")],
    })
}
