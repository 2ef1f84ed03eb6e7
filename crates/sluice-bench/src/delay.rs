//! Section i: the delay from commit to delivery while the server is idle.
//!
//! An event's id begins with the millisecond in which its commit began. The receiver records the arrival of the request
//! with the same clock. The truncated fraction of the millisecond, half a millisecond on average, counts as delay.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, ensure};
use serde_json::json;
use sluice_testkit::receiver::{Answer, Delivery, Receiver};

use crate::{
    deployment::send,
    listeners::Emitter,
    report::{Measurement, SectionResult, quantile},
    settings::Settings,
};

/// Not measured, because the process has to start and the connection has to be opened.
const WARM_UP: usize = 10;
const DEADLINE: Duration = Duration::from_secs(30);
const TARGET_MS: f64 = 10.0;

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    eprintln!("i: delivering {} events one by one", settings.single_events);
    let emitter = Emitter::start(&settings, "echo_source.mjs").await?;
    let receiver = Receiver::start(|_| Answer::status(200));
    emitter.add_webhooks([receiver.url("/")], 1).await?;
    let clock = Clock::read()?;
    for number in 1..=WARM_UP + settings.single_events {
        send(&emitter.api, &emitter.source, &json!({ "n": number })).await?;
        // The receiver is polled every few milliseconds, so that the server is idle between events.
        receiver.wait_within(DEADLINE, number).await;
    }
    let deliveries = receiver.requests();
    let delays = deliveries.iter().skip(WARM_UP);
    let mut delays = delays
        .map(|delivery| delay_ms(&clock, delivery))
        .collect::<anyhow::Result<Vec<f64>>>()?;
    ensure!(
        delays.len() == settings.single_events,
        "{} events were delivered",
        delays.len()
    );
    let measurement = |name: &str, value| Measurement::new('i', name, value, "ms");
    let p50 = measurement("commit to delivery, p50", quantile(&mut delays, 500));
    Ok(vec![
        p50.at_most(TARGET_MS),
        measurement("commit to delivery, p99", quantile(&mut delays, 990)),
    ])
}

fn delay_ms(clock: &Clock, delivery: &Delivery) -> anyhow::Result<f64> {
    let id = delivery.header("x-pd-event-id");
    let id = id.context("the delivery has no x-pd-event-id")?;
    let (committed_ms, _) = id.split_once('-').context("the event's id has no time")?;
    let committed = Duration::from_millis(committed_ms.parse()?);
    let received = clock.at(delivery.received_at);
    let delay = received
        .checked_sub(committed)
        .context("an event was delivered before it was committed")?;
    Ok(delay.as_secs_f64() * 1e3)
}

/// The system clock paired with the monotonic clock.
struct Clock {
    instant: Instant,
    since_epoch: Duration,
}

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "commits are timed by the machine's clock"
    )]
    fn read() -> anyhow::Result<Clock> {
        Ok(Clock {
            instant: Instant::now(),
            since_epoch: SystemTime::now().duration_since(UNIX_EPOCH)?,
        })
    }

    /// The system time of a later instant.
    fn at(&self, instant: Instant) -> Duration {
        self.since_epoch + instant.saturating_duration_since(self.instant)
    }
}
