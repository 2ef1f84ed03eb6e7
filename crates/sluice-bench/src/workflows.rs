//! Sections j and k: runs per second of a workflow with three steps, and the time of a step.

use std::{
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::json;
use sluice_testkit::{Api, Method};
use tokio::task::JoinSet;

use crate::{
    deployment::{counter, text, wait_for_counter},
    report::{Measurement, SectionResult, count, median, quantile},
    settings::Settings,
    throughput::BODY,
};

const RUNS: &str = "sluice_runs_total";
const FAILED_RUNS: &str = "sluice_runs_total{result=\"error\"}";
const DEADLINE: Duration = Duration::from_mins(5);
/// Not measured, because the process has to start and compile the code.
const WARM_UP: usize = 20;
/// The numbers of steps that section k compares.
const STEPS: [usize; 3] = [1, 3, 10];

/// Sends events over the usual number of connections. The time is measured from the first request until the last run is
/// stored. The workflow has default settings.
pub(crate) async fn throughput(settings: Arc<Settings>) -> SectionResult {
    let mut rates = Vec::new();
    for number in 1..=settings.rounds {
        eprintln!("j: round {number} of {}", settings.rounds);
        rates.push(round(&settings).await?);
    }
    let rate = median(rates);
    Ok(vec![Measurement::new(
        'j',
        "runs of three steps",
        rate,
        "per second",
    )])
}

async fn round(settings: &Settings) -> anyhow::Result<f64> {
    let server = settings.start_server(&[]).await?;
    let api = server.api();
    let endpoint = deploy(&api, 3, Response::AtOnce).await?;
    let before = counter(&api, RUNS).await;
    send_all(&api, &endpoint, WARM_UP, 1).await?;
    let warm = before + WARM_UP as u64;
    wait_for_counter(&api, RUNS, warm, DEADLINE).await;

    let start = Instant::now();
    send_all(&api, &endpoint, settings.runs, settings.connections).await?;
    let all = warm + settings.runs as u64;
    wait_for_counter(&api, RUNS, all, DEADLINE).await;
    let elapsed = start.elapsed();
    let failed = counter(&api, FAILED_RUNS).await;
    ensure!(failed == 0, "{failed} runs failed");
    Ok(count(settings.runs) / elapsed.as_secs_f64())
}

/// Measures single runs from the request to the response, which is sent when the run is stored. The workflows alternate, so
/// that changes in the speed of the machine affect all of them.
pub(crate) async fn step_cost(settings: Arc<Settings>) -> SectionResult {
    eprintln!(
        "k: {} runs of each of {STEPS:?} steps",
        settings.single_events
    );
    let server = settings.start_server(&[]).await?;
    let api = server.api();
    let mut workflows = Vec::new();
    for steps in STEPS {
        let endpoint = deploy(&api, steps, Response::AfterRun).await?;
        workflows.push((steps, endpoint, Vec::new()));
    }
    for number in 0..WARM_UP + settings.single_events {
        for (_, endpoint, millis) in &mut workflows {
            let start = Instant::now();
            send(&api, endpoint, Response::AfterRun).await?;
            if number >= WARM_UP {
                millis.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let mut measurements = Vec::new();
    let mut medians = Vec::new();
    for (steps, _, mut millis) in workflows {
        let noun = if steps == 1 { "step" } else { "steps" };
        let mut measure = |name: &str, thousandths| {
            let value = quantile(&mut millis, thousandths);
            let label = format!("idle run of {steps} {noun}, {name}");
            measurements.push(Measurement::new('k', &label, value, "ms"));
            value
        };
        medians.push(measure("p50", 500));
        measure("p99", 990);
    }
    let [one, .., most] = medians.as_slice() else {
        anyhow::bail!("section k needs at least two workflows");
    };
    let further = count(STEPS[STEPS.len() - 1] - STEPS[0]);
    let cost = (most - one) / further;
    measurements.push(Measurement::new('k', "each additional step", cost, "ms"));
    Ok(measurements)
}

/// When the server responds to a request to a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Response {
    /// When the request is accepted.
    AtOnce,
    /// When the run is over.
    AfterRun,
}

impl Response {
    /// Distinguishes the response of a step from that of the server.
    fn status(self) -> u16 {
        match self {
            Response::AtOnce => 200,
            Response::AfterRun => 201,
        }
    }
}

/// Deploys a workflow of empty steps and returns its endpoint.
async fn deploy(api: &Api, steps: usize, answering: Response) -> anyhow::Result<String> {
    let waits = answering == Response::AfterRun;
    let mut document = format!(
        "name: {steps} steps\ntriggers:\n  - http: {{ custom_response: {waits} }}\nsteps:\n"
    );
    for step in 1..=steps {
        let body = if waits && step == steps {
            "$.respond({ status: 201 });"
        } else {
            ""
        };
        writeln!(
            document,
            "  - name: step_{step}\n    code: |\n      export default defineComponent({{ run({{ $ }}) {{ {body} }} }})"
        )?;
    }
    let answer = api
        .post("/workflows", &json!({ "document": document }))
        .await;
    ensure!(answer.status == 200, "cannot deploy: {}", answer.text);
    text(&answer.body, "/data/triggers/0/endpoint_url")
}

/// Sends a number of events over a number of connections.
async fn send_all(
    api: &Api,
    endpoint: &str,
    events: usize,
    connections: usize,
) -> anyhow::Result<()> {
    let mut senders = JoinSet::new();
    for connection in 0..connections {
        let (api, endpoint) = (api.clone(), endpoint.to_owned());
        let share = (connection..events).step_by(connections).len();
        senders.spawn(async move {
            for _ in 0..share {
                send(&api, &endpoint, Response::AtOnce).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(sent) = senders.join_next().await {
        sent.context("a sender panicked")??;
    }
    Ok(())
}

async fn send(api: &Api, endpoint: &str, answering: Response) -> anyhow::Result<()> {
    let request = api.absolute(Method::POST, endpoint);
    let answer = request
        .header("content-type", "application/json")
        .body(BODY)
        .send()
        .await;
    ensure!(
        answer.status == answering.status(),
        "it answered {}: {}",
        answer.status,
        answer.text
    );
    Ok(())
}
