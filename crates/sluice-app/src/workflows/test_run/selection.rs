//! Which steps of a document a test runs.

use sluice_engine::EngineError;
use sluice_model::workflow::Document;

use super::{
    recorded::RecordedRun,
    request::{TestWorkflow, invalid},
};

pub(super) struct Selection {
    /// The indices of the steps to run, in order.
    pub(super) run: Vec<usize>,
    /// Exports of earlier steps that do not run: name and JSON.
    pub(super) given: Vec<(String, String)>,
    /// Earlier steps that do not run and whose exports are unknown.
    pub(super) missing: Vec<String>,
}

impl Selection {
    /// All steps up to the last one that have no given exports; with `only` just the last one.
    pub(super) fn of(
        document: &Document,
        request: &TestWorkflow,
        run: Option<&RecordedRun>,
    ) -> Result<Selection, EngineError> {
        let last = last_step(document, request)?;
        let mut selection = Selection {
            run: Vec::new(),
            given: Vec::new(),
            missing: Vec::new(),
        };
        for (index, step) in document.steps.iter().enumerate().take(last) {
            let name = &step.name;
            let recorded = run.filter(|_| request.only);
            let recorded = recorded.and_then(|run| run.exports.get(name).cloned());
            let given = request.exports.get(name).map(|json| json.get().to_owned());
            match given.or(recorded) {
                Some(exports) => selection.given.push((name.clone(), exports)),
                None if request.only => selection.missing.push(name.clone()),
                None => selection.run.push(index),
            }
        }
        selection.run.push(last);
        Ok(selection)
    }
}

/// The index of the last step to run.
fn last_step(document: &Document, request: &TestWorkflow) -> Result<usize, EngineError> {
    let position = |field, name: &str| {
        let found = document.steps.iter().position(|step| step.name == name);
        found.ok_or_else(|| invalid(field, format!("{name} is not a step of the document")))
    };
    let last = match &request.step {
        None => document.steps.len().saturating_sub(1),
        Some(name) => position("step", name)?,
    };
    for (name, json) in &request.exports {
        if position("exports", name)? >= last {
            let reason = format!("{name} does not come before the tested step");
            return Err(invalid("exports", reason));
        }
        if !json.get().starts_with('{') {
            return Err(invalid("exports", format!("{name} must be an object")));
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;
    use sluice_model::{InvocationId, workflow::parse};

    use super::*;
    use crate::workflows::test_run::recorded::manual;

    const DOCUMENT: &str = "name: Three\nsteps:\n  - name: a\n    action: x\n  - name: b\n    action: x\n  - name: c\n    action: x\n";

    fn request(step: Option<&str>, only: bool, exports: &[(&str, &str)]) -> TestWorkflow {
        let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
        let exports = exports.iter();
        TestWorkflow {
            workflow: None,
            document: None,
            files: BTreeMap::new(),
            secrets: BTreeMap::new(),
            step: step.map(str::to_owned),
            only,
            event: None,
            from_run: None,
            exports: exports
                .map(|(name, json)| ((*name).to_owned(), raw(json)))
                .collect(),
            send: false,
        }
    }

    fn run() -> RecordedRun {
        let id = InvocationId::parse("2FZ8vXW1Y3kQ9mB7nC5dE4fG6hJ").unwrap();
        RecordedRun {
            id,
            origin: manual(),
            event: "{}".to_owned(),
            exports: BTreeMap::from([("a".to_owned(), r#"{"of":"run"}"#.to_owned())]),
            uploads_of: id,
        }
    }

    fn select(request: &TestWorkflow, run: Option<&RecordedRun>) -> Selection {
        let (document, _) = parse(DOCUMENT).unwrap();
        Selection::of(&document, request, run).ok().unwrap()
    }

    fn given(selection: &Selection) -> Vec<(&str, &str)> {
        let given = selection.given.iter();
        given
            .map(|(name, json)| (name.as_str(), json.as_str()))
            .collect()
    }

    #[test]
    fn all_steps_up_to_the_tested_one_run_unless_their_exports_are_given() {
        assert_eq!(select(&request(None, false, &[]), None).run, [0, 1, 2]);
        let run = run();
        let selection = select(&request(Some("b"), false, &[]), Some(&run));
        assert_eq!((selection.run, selection.given.len()), (vec![0, 1], 0));
        let selection = select(&request(Some("c"), false, &[("b", "{}")]), None);
        assert_eq!(given(&selection), [("b", "{}")]);
        assert_eq!(selection.run, [0, 2]);
    }

    #[test]
    fn a_step_alone_has_the_exports_of_the_run_and_those_of_the_caller() {
        let run = run();
        let selection = select(&request(Some("c"), true, &[]), Some(&run));
        assert_eq!(selection.run, [2]);
        assert_eq!(given(&selection), [("a", r#"{"of":"run"}"#)]);
        assert_eq!(selection.missing, ["b"]);
        let own = request(Some("c"), true, &[("a", r#"{"own":1}"#)]);
        assert_eq!(given(&select(&own, Some(&run))), [("a", r#"{"own":1}"#)]);
    }

    #[test]
    fn unknown_and_later_steps_are_errors() {
        let (document, _) = parse(DOCUMENT).unwrap();
        for wrong in [
            request(Some("d"), false, &[]),
            request(Some("b"), false, &[("d", "{}")]),
            request(Some("b"), false, &[("b", "{}")]),
            request(Some("b"), false, &[("a", "1")]),
        ] {
            assert!(Selection::of(&document, &wrong, None).is_err());
        }
    }
}
