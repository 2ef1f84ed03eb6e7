//! Tests of scripted processes, through the trait object that the engine uses.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use serde_json::{Map, Value, json, value::to_raw_value};
use sluice_code::{CodeTree, ParsedModule};
use sluice_model::{CodeFiles, ComponentKind, IdGen, InvocationId, ModuleFormat};

use super::{
    invocation::ScriptedInvocation, outcome::ScriptedOutcome, processes::ScriptedProcesses,
};
use crate::{
    Call, Invocation, LoadError, LogLevel, ModuleSpec, Outcome, Process, ProcessEvent,
    ProcessEvents, ProcessOwner, ProcessSpec, Processes, Question, Reply, Role, StartPermit,
};

fn spec() -> ProcessSpec {
    ProcessSpec {
        user: None,
        max_db: None,
        owner: ProcessOwner::Unowned,
        modules: vec![ModuleSpec {
            name: ModuleSpec::COMPONENT.to_owned(),
            files: Arc::new(CodeFiles::single("", ModuleFormat::EsModule)),
            format: ModuleFormat::EsModule,
            packages: None,
            props: Vec::new(),
        }],
        env: BTreeMap::new(),
        secret_env: BTreeSet::new(),
        stored: vec![(
            "count".to_owned(),
            to_raw_value(&1).expect("a number is JSON"),
        )],
    }
}

fn invocation(number: u64, call: Call) -> Invocation {
    Invocation {
        id: InvocationId::generate(&mut IdGen::new(number), 1),
        call,
        event: json!({ "number": number }).to_string().into(),
        timeout: Duration::from_secs(1),
    }
}

async fn started(
    script: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
) -> (Process, ProcessEvents, ScriptedProcesses) {
    let scripted = ScriptedProcesses::new(script);
    let processes: Arc<dyn Processes> = Arc::new(scripted.clone());
    let (process, events) = processes
        .start(&spec(), StartPermit::default())
        .await
        .expect("it starts");
    (process, events, scripted)
}

fn only_outcome(batch: Vec<ProcessEvent>) -> Outcome {
    match batch.into_iter().next() {
        Some(ProcessEvent::Ended(_, outcome)) => outcome,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn effects_are_reported_with_the_end() {
    let (process, mut events, scripted) = started(|invocation| {
        let count = invocation.stored["count"].as_i64().unwrap_or_default() + 1;
        ScriptedOutcome::success()
            .emit(&json!({ "count": count }))
            .write("count", Some(&json!(count)))
            .log(LogLevel::Info, "counted")
    })
    .await;
    process.invoke(&[invocation(1, Call::Run), invocation(2, Call::Run)]);
    let batch = events.recv().await.expect("a batch");
    let emits: Vec<String> = batch
        .iter()
        .filter_map(|event| match event {
            ProcessEvent::Ended(_, outcome) => Some(outcome.emits[0].data.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(emits, [r#"{"count":2}"#, r#"{"count":3}"#]);
    let outcome = only_outcome(batch);
    assert_eq!(outcome.writes[0].0, "count");
    assert_eq!(outcome.logs[0].message, "counted");
    assert!(outcome.failure.is_none());
    assert_eq!(scripted.invocations()[1].event, json!({ "number": 2 }));
}

#[tokio::test]
async fn a_reply_comes_before_the_end() {
    let reply = Reply {
        status: 201,
        headers: Vec::new(),
        body: Bytes::from_static(b"made"),
    };
    let expected = reply.clone();
    let (process, mut events, _) =
        started(move |_| ScriptedOutcome::failure("Error", "no").respond(reply.clone())).await;
    process.invoke(&[invocation(1, Call::Run)]);
    let batch = events.recv().await.expect("a batch");
    match batch.as_slice() {
        [
            ProcessEvent::Replied(_, reply),
            ProcessEvent::Ended(_, outcome),
        ] => {
            assert_eq!(*reply, expected);
            let failure = outcome.failure.as_ref().expect("it failed");
            assert_eq!(failure.message, "no");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_step_has_exports_and_the_reply_of_its_run() {
    let (process, mut events, _) = started(|_| {
        ScriptedOutcome::success()
            .export("$return_value", json!(1))
            .respond(Reply {
                status: 200,
                headers: Vec::new(),
                body: Bytes::new(),
            })
    })
    .await;
    process.invoke(&[invocation(1, Call::Step)]);
    let outcome = only_outcome(events.recv().await.expect("a batch"));
    let step = outcome.step.expect("it is a step");
    assert_eq!(step.exports.get(), r#"{"$return_value":1}"#);
    assert_eq!(step.reply.expect("it has a reply").status, 200);
}

#[tokio::test]
async fn a_process_that_dies_takes_its_invocations_with_it() {
    let (process, mut events, _) =
        started(|invocation| match invocation.event["number"].as_i64() {
            Some(1) => ScriptedOutcome::never().log(LogLevel::Info, "waiting"),
            Some(2) => ScriptedOutcome::exit("out of memory"),
            _ => ScriptedOutcome::success(),
        })
        .await;
    process.invoke(&[1, 2, 3].map(|number| invocation(number, Call::Run)));
    let batch = events.recv().await.expect("a batch");
    let [
        ProcessEvent::Exited {
            reason, unfinished, ..
        },
    ] = batch.as_slice()
    else {
        panic!("{batch:?}");
    };
    assert_eq!(reason, "out of memory");
    assert_eq!(unfinished.len(), 3);
    let logs = unfinished.iter().map(|one| one.logs.len());
    assert_eq!(logs.sum::<usize>(), 1);
    assert!(events.recv().await.is_none());
}

#[tokio::test]
async fn dropping_the_handle_kills_the_process() {
    let (process, mut events, _) = started(|_| ScriptedOutcome::never()).await;
    process.invoke(&[invocation(1, Call::Run)]);
    drop(process);
    let batch = events.recv().await.expect("a batch");
    assert!(matches!(
        batch.as_slice(),
        [ProcessEvent::Exited { unfinished, .. }] if unfinished.len() == 1
    ));
}

#[tokio::test]
async fn an_outcome_can_come_later() {
    let (process, mut events, _) = started(|invocation| {
        let outcome = ScriptedOutcome::success();
        match invocation.event["number"].as_i64() {
            Some(1) => outcome.after(Duration::from_millis(20)),
            _ => outcome,
        }
    })
    .await;
    let (slow, quick) = (invocation(1, Call::Run), invocation(2, Call::Run));
    process.invoke(&[slow.clone(), quick.clone()]);
    for expected in [quick.id, slow.id] {
        let batch = events.recv().await.expect("a batch");
        assert!(matches!(batch.as_slice(), [ProcessEvent::Ended(id, _)] if *id == expected));
    }
}

#[tokio::test]
async fn questions_are_answered_by_the_script() {
    let processes: Arc<dyn Processes> = Arc::new(ScriptedProcesses::new(|_| {
        ScriptedOutcome::success().answer(&json!(["a"]))
    }));
    let spec = spec();
    let asked = processes.ask(
        &spec,
        Question::Options,
        Arc::from("{}"),
        Duration::from_secs(1),
    );
    let outcome = asked.await.expect("it starts");
    assert_eq!(outcome.result.expect("an answer").get(), r#"["a"]"#);
}

#[tokio::test]
async fn the_script_decides_shapes_and_failed_starts() {
    let scripted = ScriptedProcesses::new(|_| ScriptedOutcome::success())
        .with_shape(|module| match module.code().as_ref() {
            "source" => json!({ "name": "S", "version": "1", "hasRun": true }),
            _ => json!({ "version": "1" }),
        })
        .with_start(|_| Err(LoadError::Start("no memory".to_owned())));
    let module = |code: &str| CodeTree::single(ParsedModule::parse(code, None).expect("it parses"));
    let (good, bad) = (module("source"), module("other"));
    let analysis = scripted.analyze(&good, Role::Component, &None);
    let shape = analysis.await.expect("it has a shape").shape;
    assert_eq!(
        (shape.name.as_str(), shape.kind),
        ("S", ComponentKind::Source)
    );
    let analysis = scripted.analyze(&bad, Role::Component, &None);
    assert!(matches!(analysis.await, Err(LoadError::Code(_))));
    assert!(matches!(
        scripted.start(&spec(), StartPermit::default()).await,
        Err(LoadError::Start(_))
    ));
    assert_eq!(scripted.starts(), 0);
}

#[tokio::test]
async fn credentials_and_answers_are_recorded() {
    let (process, _events, scripted) = started(|_| ScriptedOutcome::success()).await;
    let mut auths = Map::new();
    auths.insert("acme".to_owned(), Value::from("token"));
    process.authorize("component", &auths);
    process.answers().send([(7, Err("no".to_owned()))]);
    assert_eq!(scripted.authorizations()[0].auths, auths);
    assert_eq!(scripted.answers()[0].0, 7);
}
