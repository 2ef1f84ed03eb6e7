//! A version of a workflow, with everything that its process needs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::{Map, Value};
use sluice_infra::Settings;
use sluice_model::{
    CodeFiles, ComponentShape, DeploymentId, PropDef, UserId, WorkflowId,
    workflow::{DeployedStep, EnvValue, WorkflowDefinition, expressions::escaped},
};
use sluice_runtime::{
    BindingKind, ModuleSpec, PackageLock, ProcessOwner, ProcessSpec, PropBinding,
};
use sluice_store::{
    Conn, StoreError, Vault,
    components::{self, Component},
    deployments,
    state::Fence,
    workflows::{self, Workflow},
};

use crate::{
    process::{
        DataStoreAccess,
        bindings::bind,
        credentials::{Credentials, Grants},
    },
    secrets::{UnreadableSecret, opened},
    state::{KvState, packages_of},
};

pub(super) struct Version {
    pub(super) id: DeploymentId,
    pub(super) definition: WorkflowDefinition,
    /// One for each step, in order.
    modules: Vec<Module>,
    /// Sealed values of the environment's secrets.
    secrets: BTreeMap<String, String>,
}

struct Module {
    shape: ComponentShape,
    code: Arc<CodeFiles>,
    packages: Option<Arc<PackageLock>>,
}

impl Version {
    /// A version that is not stored. `components` has one for each step.
    pub(super) fn unstored(
        id: DeploymentId,
        definition: WorkflowDefinition,
        components: &[Component],
        secrets: BTreeMap<String, String>,
    ) -> Result<Version, StoreError> {
        let modules = components.iter().map(Module::of);
        Ok(Version {
            id,
            definition,
            modules: modules.collect::<Result<_, _>>()?,
            secrets,
        })
    }

    /// None when it is gone.
    pub(super) fn load(
        c: &mut dyn Conn,
        workflow: &WorkflowId,
        id: &DeploymentId,
    ) -> Result<Option<Version>, StoreError> {
        let Some(deployment) = deployments::get(c, id)? else {
            return Ok(None);
        };
        let modules = deployment
            .definition
            .steps
            .iter()
            .map(|step| Module::load(c, step))
            .collect::<Result<_, _>>()?;
        Ok(Some(Version {
            id: deployment.id,
            definition: deployment.definition,
            modules,
            secrets: workflows::secrets(c, workflow)?,
        }))
    }

    /// The spec of its process, or the reason why there is none.
    pub(super) fn process_spec(
        &self,
        workflow: &Workflow,
        settings: &Settings,
        vault: &Vault,
        kv: &KvState,
    ) -> Result<ProcessSpec, String> {
        Ok(ProcessSpec {
            owner: ProcessOwner::Workflow(workflow.id.clone()),
            user: Some(workflow.user_id.clone()),
            max_db: None,
            modules: self
                .steps()
                .map(|(step, module)| {
                    Ok(ModuleSpec {
                        name: step.name.clone(),
                        files: Arc::clone(&module.code),
                        format: module.shape.format,
                        packages: module.packages.clone(),
                        props: bindings(step, &module.shape, settings, vault)?,
                    })
                })
                .collect::<Result<_, UnreadableSecret>>()
                .map_err(|error| error.to_string())?,
            env: self.environment(vault)?,
            secret_env: self.secret_names(),
            stored: kv.entries(),
        })
    }

    fn environment(&self, vault: &Vault) -> Result<BTreeMap<String, String>, String> {
        let mut environment = BTreeMap::new();
        for (name, value) in &self.definition.env {
            let clear = match value {
                EnvValue::Value(text) => text.clone(),
                EnvValue::Secret => {
                    let sealed = self.secrets.get(name).map(String::as_str);
                    open(vault, sealed.unwrap_or_default()).ok_or_else(|| unreadable(name))?
                }
            };
            environment.insert(name.clone(), clear);
        }
        Ok(environment)
    }

    fn secret_names(&self) -> BTreeSet<String> {
        let env = self.definition.env.iter();
        env.filter(|(_, value)| **value == EnvValue::Secret)
            .map(|(name, _)| name.clone())
            .collect()
    }

    pub(super) fn has_secrets_of(&self, other: &Version) -> bool {
        self.secrets == other.secrets
    }

    /// The data stores that its steps may use.
    pub(super) fn data_store_access(
        &self,
        workflow: &Workflow,
        fence: Option<&Fence>,
    ) -> DataStoreAccess {
        let modules = self.steps().map(|(step, module)| {
            let values: &Map<String, Value> = &step.props;
            (step.name.as_str(), &module.shape, values)
        });
        let emitter = fence.map(|fence| ((*workflow.id).clone(), fence.clone()));
        DataStoreAccess::new(&workflow.user_id, emitter, modules)
    }

    /// The accounts that each of its steps uses.
    pub(super) fn grants(&self, credentials: &Credentials, user: &UserId) -> Vec<Grants> {
        self.steps()
            .map(|(step, module)| Grants::of(credentials, user, &module.shape.props, &step.props))
            .collect()
    }

    fn steps(&self) -> impl Iterator<Item = (&DeployedStep, &Module)> {
        self.definition.steps.iter().zip(&self.modules)
    }
}

impl Module {
    fn load(c: &mut dyn Conn, step: &DeployedStep) -> Result<Module, StoreError> {
        let component = components::get_for_run(c, &step.component_id)?.ok_or_else(|| {
            StoreError::Corrupt(format!("the step {} has no component", step.name))
        })?;
        let mut module = Module::of(&component)?;
        if let Some(declared) = &step.declared {
            module.shape.props.clone_from(declared);
        }
        Ok(module)
    }

    fn of(component: &Component) -> Result<Module, StoreError> {
        Ok(Module {
            code: Arc::new(component.code.clone()),
            packages: packages_of(component)?,
            shape: component.shape.clone(),
        })
    }
}

/// Values of props that the code does not declare are bound too: a function gets them as its `params`.
fn bindings(
    step: &DeployedStep,
    shape: &ComponentShape,
    settings: &Settings,
    vault: &Vault,
) -> Result<Vec<PropBinding>, UnreadableSecret> {
    if let Some(declared) = &step.declared {
        return plain_bindings(declared, &step.props, settings, vault);
    }
    let mut bindings = bind(&shape.props, &step.props, &[], settings);
    let is_declared = |name: &str| shape.props.iter().any(|prop| prop.name == name);
    let others = step.props.iter().filter(|(name, _)| !is_declared(name));
    bindings.extend(others.map(|(name, value)| PropBinding {
        name: name.clone(),
        kind: BindingKind::Value,
        value: value.clone(),
        secret: false,
    }));
    Ok(bindings)
}

/// Bindings of values without expressions.
fn plain_bindings(
    declared: &[PropDef],
    values: &Map<String, Value>,
    settings: &Settings,
    vault: &Vault,
) -> Result<Vec<PropBinding>, UnreadableSecret> {
    let values = opened(vault, declared, values)?;
    let bindings = bind(declared, &values, &[], settings).into_iter();
    let escape = |binding: PropBinding| PropBinding {
        value: escaped(binding.value),
        ..binding
    };
    Ok(bindings.map(escape).collect())
}

fn open(vault: &Vault, sealed: &str) -> Option<String> {
    String::from_utf8(vault.open(sealed).ok()?).ok()
}

fn unreadable(name: &str) -> String {
    format!("the secret environment value {name} cannot be read. Give it again")
}
