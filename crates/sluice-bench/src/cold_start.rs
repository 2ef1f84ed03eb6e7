//! Section c: how long the first event of a source takes when no process of it is running.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::json;

use crate::{
    Outcome,
    deployment::{deploy, event_count, save_component, send},
    report::{Measurement, median},
    settings::Settings,
};

const EVENT_DEADLINE: Duration = Duration::from_secs(30);

pub(crate) async fn measure(settings: Arc<Settings>) -> Outcome {
    eprintln!("c: waking {} sources", settings.cold_sources);
    let server = settings.start_server().await?;
    let api = server.api();
    let component = save_component(&api, "echo_source.mjs").await?;
    let sources = deploy(&api, &component, &json!({}), settings.cold_sources).await?;

    let mut millis = Vec::with_capacity(sources.len());
    for source in &sources {
        let start = Instant::now();
        send(&api, source, &json!({ "first": true })).await?;
        while event_count(&api, source).await? == 0 {
            ensure!(
                start.elapsed() < EVENT_DEADLINE,
                "the event of {} did not come",
                source.id
            );
        }
        millis.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let slowest = millis.iter().copied().fold(0.0, f64::max);
    Ok(vec![
        Measurement::new(
            'c',
            "first event without a process, median",
            median(millis),
            "ms",
        ),
        Measurement::new('c', "first event without a process, slowest", slowest, "ms"),
    ])
}
