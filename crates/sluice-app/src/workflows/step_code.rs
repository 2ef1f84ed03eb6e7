//! The code of a step: inline in the document, in a file beside it, or a saved component.

use sluice_code::{Language, Location, MemoryFiles, ParsedModule, parse_step};
use sluice_engine::EngineError;
use sluice_model::{
    CodeError, ComponentKind, UserId, WorkflowId,
    workflow::{PathPart, Step, StepCode},
};
use sluice_store::components::Component;

use super::{document_errors::DocumentErrors, service::Workflows};

/// Where the code of steps is looked up.
pub(super) struct Surroundings<'a> {
    pub(super) user: &'a UserId,
    pub(super) workflow: &'a WorkflowId,
    pub(super) files: &'a MemoryFiles,
}

/// The component that a step runs.
pub(super) enum StepComponent {
    /// The workflow's own code, saved with it.
    Own(Component),
    Saved(Component),
}

impl StepComponent {
    pub(super) fn component(&self) -> &Component {
        match self {
            StepComponent::Own(component) | StepComponent::Saved(component) => component,
        }
    }
}

impl Workflows {
    /// None when the step has an error, which is added to `errors`.
    pub(super) async fn step_component(
        &self,
        around: &Surroundings<'_>,
        index: usize,
        step: &Step,
        errors: &mut DocumentErrors<'_>,
    ) -> Result<Option<StepComponent>, EngineError> {
        let path = |field| [PathPart::Key("steps"), index.into(), PathPart::Key(field)];
        match &step.code {
            StepCode::Inline(code) => {
                let inspected = match parse_step(code.as_str(), None) {
                    Ok(module) => {
                        let entry = inline_location(step, module.language());
                        self.inspect_step(around, step, module, entry).await
                    }
                    Err(errors) => Err(EngineError::InvalidCode(errors)),
                };
                own(inspected, |code_errors| {
                    errors.add_code(&path("code"), code_errors);
                })
            }
            StepCode::File(file) => {
                let given = MemoryFiles::location(file)
                    .ok()
                    .and_then(|entry| Some((around.files.get(&entry)?, entry.clone())));
                let Some((code, entry)) = given else {
                    errors.add(
                        &path("file"),
                        "is not among the files that came with the document",
                    );
                    return Ok(None);
                };
                let inspected = match parse_step(code, language_of(&entry)) {
                    Ok(module) => self.inspect_step(around, step, module, entry).await,
                    Err(errors) => Err(EngineError::InvalidCode(errors)),
                };
                own(inspected, |code_errors| {
                    for error in code_errors {
                        let place = match (error.line, error.column) {
                            (Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
                            (Some(line), None) => format!("{file}:{line}: "),
                            (None, _) => format!("{file}: "),
                        };
                        errors.add(&path("file"), place + &error.message);
                    }
                })
            }
            StepCode::Action(name) => {
                let found = match self.components.find(around.user, name).await {
                    Err(EngineError::InvalidCode(code_errors)) => {
                        errors.add_code(&path("action"), code_errors);
                        return Ok(None);
                    }
                    found => found?,
                };
                let error = match &found {
                    None => "names no component of yours and none of the registry",
                    Some(component) if component.shape.kind == ComponentKind::Source => {
                        "is a source: a step needs an action"
                    }
                    Some(_) => return Ok(found.map(StepComponent::Saved)),
                };
                errors.add(&path("action"), error);
                Ok(None)
            }
        }
    }

    async fn inspect_step(
        &self,
        around: &Surroundings<'_>,
        step: &Step,
        module: ParsedModule,
        entry: Location,
    ) -> Result<Component, EngineError> {
        let mut component = self
            .components
            .inspect_step(around.user, &step.name, module, entry, around.files.clone())
            .await?;
        component.workflow_id = Some(around.workflow.clone());
        Ok(component)
    }
}

/// The name of the file for code that is written in the document.
fn inline_location(step: &Step, language: Language) -> Location {
    let extension = match language {
        Language::JavaScript => "js",
        Language::TypeScript => "ts",
    };
    Location::new(format!("{}.{extension}", step.name))
}

/// The language of a file by its extension; others are detected.
fn language_of(entry: &Location) -> Option<Language> {
    let (_, extension) = entry.as_str().rsplit_once('.')?;
    ["ts", "mts", "cts"]
        .contains(&extension)
        .then_some(Language::TypeScript)
}

/// Errors in the code are reported with the document's other errors; any other error ends the request.
fn own(
    inspected: Result<Component, EngineError>,
    report: impl FnOnce(Vec<CodeError>),
) -> Result<Option<StepComponent>, EngineError> {
    match inspected {
        Ok(component) => Ok(Some(StepComponent::Own(component))),
        Err(EngineError::InvalidCode(code_errors)) => {
            report(code_errors);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Whether code calls `respond`, judged by its text.
pub(super) fn calls_respond(code: &str) -> bool {
    code.match_indices("respond").any(|(at, name)| {
        let rest = code[at + name.len()..].trim_start();
        rest.starts_with('(') || rest.starts_with("?.(")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_respond_is_distinguished_from_the_word() {
        for calls in ["$.respond({})", "await $respond (x)", "$.respond?.(1)"] {
            assert!(calls_respond(calls), "{calls}");
        }
        for other in [
            "",
            "// we respond later",
            "const responder = f(1)",
            "responded()",
        ] {
            assert!(!calls_respond(other), "{other}");
        }
    }
}
