//! Section d: the server's memory with many idle sources, and the memory of a running source.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use sluice_testkit::wait_for;
use tokio::time::sleep;

use crate::{
    deployment::{deploy, event_count, metric, save_component, send},
    proc_fs::{descendants, resident_bytes, usage_of_descendants},
    report::{Measurement, SectionResult, count, megabytes},
    settings::Settings,
};

/// Waits until the memory of the deployment is freed.
const SETTLE: Duration = Duration::from_secs(5);
const EVENT_DEADLINE: Duration = Duration::from_secs(30);
const RUNNING_SOURCES: usize = 20;
const TARGET_MEGABYTES: f64 = 300.0;

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    eprintln!("d: deploying {} sources", settings.idle_sources);
    // Section o has the memory of sources that share processes.
    let server = settings.start_server(&["--isolation", "process"]).await?;
    let api = server.api();
    let component = save_component(&api, "echo_source.mjs").await?;
    let sources = deploy(&api, &component, &json!({}), settings.idle_sources).await?;
    sleep(SETTLE).await;
    let idle = megabytes(resident_bytes(server.pid())?);
    let warm = metric(&api, "sluice_warm_processes").await;
    let idle_processes = count(descendants(server.pid())?.len()) - warm;

    for source in sources.iter().take(RUNNING_SOURCES) {
        send(&api, source, &json!({ "first": true })).await?;
        wait_for(
            EVENT_DEADLINE,
            "the event of a running source",
            async || {
                event_count(&api, source)
                    .await
                    .is_ok_and(|count| count > 0)
                    .then_some(())
            },
        )
        .await;
    }
    let (processes, total) = usage_of_descendants(server.pid())?;
    let each = |bytes: u64| megabytes(bytes) / count(processes.max(1));
    let deployed = format!("server with {} idle sources", sources.len());
    Ok(vec![
        Measurement::new('d', &deployed, idle, "MB").at_most(TARGET_MEGABYTES),
        Measurement::new('d', "processes of idle sources", idle_processes, "").at_most(0.0),
        Measurement::new('d', "empty processes in the pool", warm, ""),
        Measurement::new(
            'd',
            "processes with 20 sources running",
            count(processes),
            "",
        ),
        Measurement::new(
            'd',
            "private memory of each process",
            each(total.private),
            "MB",
        ),
        Measurement::new(
            'd',
            "proportional memory of each process",
            each(total.proportional),
            "MB",
        ),
    ])
}
