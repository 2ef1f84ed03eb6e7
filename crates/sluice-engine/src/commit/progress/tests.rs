use serde_json::json;
use sluice_model::{
    ComponentId, DeploymentId, IdGen, InvocationId, WorkflowId,
    workflow::{RetryPolicy, RunOrigin, WorkflowSettings},
};

use super::*;

fn run() -> Run {
    Run {
        id: InvocationId::generate(&mut IdGen::new(1), 1),
        workflow_id: WorkflowId::parse("p_w").unwrap(),
        deployment_id: DeploymentId::parse("d_1").unwrap(),
        state: RunState::Running,
        origin: RunOrigin {
            source_type: "http".to_owned(),
            emitter_id: None,
            event_id: None,
            replay_of: None,
            key_id: None,
        },
        depth: 0,
        accepted_at: 1,
        started_at: 1,
        finished_at: None,
        due_at: None,
        pause: None,
        pause_key: None,
        error: None,
        exit_reason: None,
        event: "{}".to_owned(),
        trace: None,
    }
}

fn definition(steps: &[&str], retry: RetryPolicy) -> WorkflowDefinition {
    let step = |name: &&str| DeployedStep {
        name: (*name).to_owned(),
        cell_id: format!("c_{name}"),
        component_id: ComponentId::parse("sc_x").unwrap(),
        props: serde_json::Map::new(),
        declared: None,
        timeout_seconds: None,
        retry,
    };
    WorkflowDefinition {
        name: "w".to_owned(),
        description: None,
        env: std::collections::BTreeMap::default(),
        triggers: Vec::new(),
        steps: steps.iter().map(step).collect(),
        settings: WorkflowSettings::default(),
    }
}

fn did(exports: &Value, flow: Option<Flow>) -> Outcome {
    Outcome {
        step: Some(Box::new(StepOutcome {
            inputs: None,
            exports: RawValue::from_string(exports.to_string()).unwrap(),
            flow,
            sends: Vec::new(),
            reply: None,
        })),
        ..Outcome::default()
    }
}

fn threw(name: &str) -> Outcome {
    Outcome {
        failure: Some(Failure {
            name: name.to_owned(),
            message: "no".to_owned(),
            stack: String::new(),
            code: None,
            prop: None,
        }),
        ..did(&json!({}), None)
    }
}

fn rerun(max_retries: u32) -> Flow {
    Flow::Rerun {
        ms: 5,
        context: RawValue::from_string("{\"n\":1}".to_owned()).unwrap(),
        max_retries,
    }
}

/// The state of a run as the next owner would find it.
fn restored(run: &Run, records: &[StepRecord], continuation: Option<&str>) -> Progress {
    let continuation = continuation.map(|text| serde_json::from_str(text).unwrap());
    Progress::restored(run.clone(), records.to_vec(), Vec::new(), continuation).0
}

#[test]
fn steps_follow_one_another_until_the_last() {
    let definition = definition(&["a", "b"], RetryPolicy::default());
    let mut progress = Progress::new(run());
    let end = progress.step_ended(&definition, 1, did(&json!({"x": 1}), None));
    assert!(matches!(end.after, After::NextStep));
    assert_eq!(
        progress.exports[0],
        ("a".to_owned(), r#"{"x":1}"#.to_owned())
    );
    let end = progress.step_ended(&definition, 2, did(&json!({}), None));
    assert!(matches!(end.after, After::Finished { exit_reason: None }));
    assert_eq!((end.record.position, end.record.attempt), (1, 1));
}

#[test]
fn exit_ends_the_run_and_keeps_its_reason() {
    let definition = definition(&["a", "b"], RetryPolicy::default());
    let exit = Flow::Exit {
        reason: Some("enough".to_owned()),
    };
    let end = Progress::new(run()).step_ended(&definition, 1, did(&json!({}), Some(exit)));
    let After::Finished { exit_reason } = end.after else {
        panic!("it is over");
    };
    assert_eq!(exit_reason.as_deref(), Some("enough"));
}

#[test]
fn a_step_that_failed_is_retried_as_often_as_it_may_be() {
    let retry = RetryPolicy {
        max_retries: 1,
        ..RetryPolicy::default()
    };
    let definition = definition(&["a"], retry);
    let mut progress = Progress::new(run());
    let first = progress.step_ended(&definition, 1, threw("Error"));
    let After::Waiting { pause, ms } = first.after else {
        panic!("it waits");
    };
    assert_eq!((pause.kind, ms), (PauseKind::Retry, 10_000));
    let mut stored = run();
    stored.pause = Some(pause);
    let mut progress = restored(&stored, &[first.record], None);
    let second = progress.step_ended(&definition, 2, threw("Error"));
    assert!(matches!(second.after, After::Failed(_)));
    assert_eq!(second.record.attempt, 2);
}

#[test]
fn what_would_only_fail_again_is_not_retried() {
    let retry = RetryPolicy {
        max_retries: 5,
        ..RetryPolicy::default()
    };
    let definition = definition(&["a"], retry);
    for name in ["Timeout", "ConfigurationError"] {
        let end = Progress::new(run()).step_ended(&definition, 1, threw(name));
        assert!(matches!(end.after, After::Failed(_)), "{name}");
    }
}

#[test]
fn a_rerun_has_its_context_and_ends_after_its_last() {
    let definition = definition(&["a"], RetryPolicy::default());
    let mut progress = Progress::new(run());
    let first = progress.step_ended(&definition, 1, did(&json!({}), Some(rerun(1))));
    assert_eq!(first.record.state, StepState::Repeated);
    let After::Waiting { pause, .. } = first.after else {
        panic!("it waits");
    };
    let mut stored = run();
    stored.pause = Some(pause);
    let resumed = Some(r#"{"cause":"resume","request":{"body":7}}"#);
    let mut progress = restored(&stored, std::slice::from_ref(&first.record), resumed);
    assert_eq!(progress.attempts, 1);
    assert_eq!(progress.rerun_context, Some(json!({"n": 1})));
    assert_eq!(progress.callback.as_ref().unwrap().get(), r#"{"body":7}"#);
    let second = progress.step_ended(&definition, 2, did(&json!({}), Some(rerun(1))));
    assert!(matches!(second.after, After::Finished { .. }));
    // The step after it does not get what was meant for this one, also when a crash lies between them.
    let after = restored(&stored, &[first.record, second.record], resumed);
    assert_eq!((after.position(), after.rerun_context), (1, None));
    assert!(after.callback.is_none());
}

#[test]
fn what_a_run_was_resumed_with_is_exported_by_the_step_that_waited() {
    let definition = definition(&["a", "b"], RetryPolicy::default());
    let mut progress = Progress::new(run());
    let end = progress.step_ended(
        &definition,
        1,
        did(&json!({"x": 1}), Some(Flow::Suspend { ms: 5 })),
    );
    let After::Waiting { pause, .. } = end.after else {
        panic!("it waits");
    };
    let mut stored = run();
    stored.pause = Some(pause);
    let progress = restored(
        &stored,
        &[end.record],
        Some(r#"{"cause":"resume","request":{"body":{"ok":true}}}"#),
    );
    assert_eq!(progress.position(), 1);
    assert_eq!(
        progress.exports[0].1,
        r#"{"x":1,"$resume_data":{"ok":true}}"#
    );
}
