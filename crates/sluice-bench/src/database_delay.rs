//! Section p: durable events per second when PostgreSQL is one network away.
//!
//! Rounds with and without delay alternate. Both go through the same proxy, because its CPU time is not that of a network.
//! Section a has the rate without a proxy.

use std::{sync::Arc, time::Duration};

use sluice_testkit::{Backend, Postgres, TcpProxy};

use crate::{
    report::{Measurement, SectionResult, median},
    settings::Settings,
    throughput::ingest_rate,
};

const MIN_RATIO: f64 = 0.85;

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    if settings.backend() == Backend::Sqlite {
        return Ok(Vec::new());
    }
    let delay = Duration::from_millis(settings.database_delay);
    let (mut undelayed, mut delayed) = (Vec::new(), Vec::new());
    for number in 1..=settings.rounds {
        eprintln!("p: round {number} of {}", settings.rounds);
        undelayed.push(rate(&settings, Duration::ZERO).await?);
        delayed.push(rate(&settings, delay).await?);
    }
    let (undelayed, delayed) = (median(undelayed), median(delayed));
    let title = format!("durable events, {} ms of delay", settings.database_delay);
    let row = |name: &str, rate: f64| Measurement::new('p', name, rate, "per second");
    Ok(vec![
        row("durable events, proxy without delay", undelayed),
        row(&title, delayed),
        Measurement::new('p', "ratio with/without delay", delayed / undelayed, "")
            .at_least(MIN_RATIO),
    ])
}

/// Each round trip to the database takes longer by `delay`, half of it in each direction.
async fn rate(settings: &Settings, delay: Duration) -> anyhow::Result<f64> {
    let (proxy, url) = TcpProxy::before_database(&Postgres::database());
    proxy.delay(delay / 2);
    let server = settings.start_server_on(&url).await?;
    ingest_rate(settings, &server).await
}
