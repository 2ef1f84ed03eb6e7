//! Section c: latency of the first event of a source without a running process. The pool of empty processes has its
//! default size.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::json;
use sluice_testkit::{Api, wait_for};

use crate::{
    deployment::{Source, deploy, event_count, metric, save_component, send},
    report::{Measurement, SectionResult, median},
    settings::Settings,
};

const EVENT_DEADLINE: Duration = Duration::from_secs(30);

struct Case {
    file: &'static str,
    label: &'static str,
    isolation: &'static str,
    target_ms: f64,
}

/// Sources with the same code share a process by default, so only the first one needs a new one then.
const CASES: [Case; 3] = [
    Case {
        file: "echo_source.mjs",
        label: "in a process of its own",
        isolation: "process",
        target_ms: 25.0,
    },
    Case {
        file: "echo_source.mjs",
        label: "in a shared process",
        isolation: "component",
        target_ms: 25.0,
    },
    Case {
        file: "axios_source.mjs",
        label: "with axios",
        isolation: "component",
        target_ms: 80.0,
    },
];

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    let mut measurements = Vec::new();
    for case in CASES {
        eprintln!("c: waking {} sources {}", settings.cold_sources, case.label);
        let server = settings
            .start_server(&["--isolation", case.isolation])
            .await?;
        let api = server.api();
        let component = save_component(&api, case.file).await?;
        let sources = deploy(&api, &component, &json!({}), settings.cold_sources).await?;
        let mut millis = Vec::with_capacity(sources.len());
        for source in &sources {
            until_warm(&api).await;
            millis.push(wake(&api, source).await?);
        }
        let slowest = millis.iter().copied().fold(0.0, f64::max);
        let label = |name: &str| format!("first event {}, {name}", case.label);
        measurements.push(
            Measurement::new('c', &label("median"), median(millis), "ms").at_most(case.target_ms),
        );
        measurements.push(Measurement::new('c', &label("slowest"), slowest, "ms"));
    }
    Ok(measurements)
}

async fn until_warm(api: &Api) {
    wait_for(EVENT_DEADLINE, "the processes that wait", async || {
        (metric(api, "sluice_warm").await >= 1.0).then_some(())
    })
    .await;
}

/// Milliseconds from sending an event until the API returns it.
async fn wake(api: &Api, source: &Source) -> anyhow::Result<f64> {
    let start = Instant::now();
    send(api, source, &json!({ "first": true })).await?;
    while event_count(api, source).await? == 0 {
        ensure!(
            start.elapsed() < EVENT_DEADLINE,
            "the event of {} did not come",
            source.id
        );
    }
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
