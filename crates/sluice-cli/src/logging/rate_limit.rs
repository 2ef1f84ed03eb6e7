//! A rate limit on log lines, per callsite.
//!
//! Each callsite has a token bucket: 20 lines in a burst, then one per second. A failing dependency therefore cannot fill
//! the disk with one line. Suppressed lines are counted, and a summary with the field `suppressed` is logged every 5 seconds.
//! Debug and trace lines are not limited: they are off unless the operator asks for them.

use std::{
    collections::HashMap,
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tracing::{Event, Level, Metadata, Subscriber, callsite};
use tracing_subscriber::layer::{Context, Layer};

const BURST: u32 = 20;
/// Time after which a callsite gains one more line.
const REFILL: Duration = Duration::from_secs(1);
const SUMMARY_INTERVAL: Duration = Duration::from_secs(5);
/// The target of summaries, which are exempt.
const SUMMARY_TARGET: &str = "sluice::log_rate_limit";

/// A layer that discards a line when its callsite has no tokens left.
///
/// It filters for all layers. As a filter of one layer, an event that is discarded late would disable the next one too.
#[derive(Clone)]
pub(super) struct RateLimit {
    buckets: Arc<Mutex<Buckets>>,
}

/// Callsites are static, so there are never more buckets than log statements in the program.
type Buckets = HashMap<callsite::Identifier, Bucket>;

struct Bucket {
    metadata: &'static Metadata<'static>,
    tokens: u32,
    refilled_at: Instant,
    suppressed: u64,
}

impl RateLimit {
    /// Creates the layer and the thread that logs summaries.
    pub(super) fn start() -> io::Result<RateLimit> {
        let limit = RateLimit {
            buckets: Arc::default(),
        };
        let buckets = Arc::clone(&limit.buckets);
        thread::Builder::new()
            .name("log-summary".to_owned())
            .spawn(move || {
                loop {
                    thread::sleep(SUMMARY_INTERVAL);
                    // The lock is released before logging, which takes it again.
                    let suppressed = take_suppressed(&mut buckets.lock());
                    suppressed.into_iter().for_each(log_summary);
                }
            })?;
        Ok(limit)
    }
}

impl<S: Subscriber> Layer<S> for RateLimit {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let metadata = event.metadata();
        *metadata.level() > Level::INFO
            || metadata.target() == SUMMARY_TARGET
            || allow(&mut self.buckets.lock(), metadata, Instant::now())
    }
}

/// Takes a token for a line, or counts the line as suppressed.
fn allow(buckets: &mut Buckets, metadata: &'static Metadata<'static>, now: Instant) -> bool {
    let bucket = buckets.entry(metadata.callsite()).or_insert(Bucket {
        metadata,
        tokens: BURST,
        refilled_at: now,
        suppressed: 0,
    });
    bucket.refill(now);
    if bucket.tokens == 0 {
        bucket.suppressed += 1;
        return false;
    }
    bucket.tokens -= 1;
    true
}

impl Bucket {
    fn refill(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.refilled_at);
        let gained = u32::try_from(elapsed.as_millis() / REFILL.as_millis()).unwrap_or(u32::MAX);
        if gained >= BURST - self.tokens {
            self.tokens = BURST;
            self.refilled_at = now;
        } else {
            self.tokens += gained;
            self.refilled_at += REFILL * gained;
        }
    }
}

/// Resets the counts, and returns those that are not zero.
fn take_suppressed(buckets: &mut Buckets) -> Vec<(&'static Metadata<'static>, u64)> {
    let suppressed = buckets
        .values_mut()
        .filter(|bucket| bucket.suppressed > 0)
        .map(|bucket| (bucket.metadata, std::mem::take(&mut bucket.suppressed)));
    suppressed.collect()
}

fn log_summary((metadata, suppressed): (&'static Metadata<'static>, u64)) {
    tracing::warn!(
        target: SUMMARY_TARGET,
        suppressed,
        of_target = metadata.target(),
        of_level = %metadata.level(),
        file = metadata.file(),
        line = metadata.line(),
        "repeated log lines suppressed"
    );
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    /// The metadata of two log statements.
    fn callsites() -> [&'static Metadata<'static>; 2] {
        #[derive(Clone, Default)]
        struct Capture(Arc<Mutex<Vec<&'static Metadata<'static>>>>);
        impl<S: Subscriber> Layer<S> for Capture {
            fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
                self.0.lock().push(event.metadata());
            }
        }
        let capture = Capture::default();
        let subscriber = tracing_subscriber::registry().with(capture.clone());
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!("one");
            tracing::error!("two");
        });
        let found = capture.0.lock().clone();
        [found[0], found[1]]
    }

    fn passed(buckets: &mut Buckets, callsite: &'static Metadata<'static>, now: Instant) -> usize {
        (0..100).filter(|_| allow(buckets, callsite, now)).count()
    }

    #[test]
    fn a_burst_passes_and_then_one_line_per_second() {
        let [callsite, _] = callsites();
        let (mut buckets, start) = (Buckets::new(), Instant::now());
        assert_eq!(passed(&mut buckets, callsite, start), 20);
        let after = |ms| start + Duration::from_millis(ms);
        assert_eq!(passed(&mut buckets, callsite, after(999)), 0);
        assert_eq!(passed(&mut buckets, callsite, after(1_000)), 1);
        assert_eq!(passed(&mut buckets, callsite, after(3_500)), 2);
        assert_eq!(passed(&mut buckets, callsite, after(4_000)), 1);
        assert_eq!(passed(&mut buckets, callsite, after(3_600_000)), 20);
    }

    #[test]
    fn callsites_are_limited_independently_and_suppressed_lines_are_counted_once() {
        let [one, two] = callsites();
        let (mut buckets, now) = (Buckets::new(), Instant::now());
        passed(&mut buckets, one, now);
        assert!(allow(&mut buckets, two, now));
        let suppressed = take_suppressed(&mut buckets);
        assert_eq!(suppressed.len(), 1);
        assert_eq!(suppressed[0].0.callsite(), one.callsite());
        assert_eq!(suppressed[0].1, 80);
        assert!(take_suppressed(&mut buckets).is_empty());
    }

    #[test]
    fn the_layer_limits_all_levels_but_debug_and_trace() {
        #[derive(Clone, Default)]
        struct Count(Arc<AtomicUsize>);
        impl<S: Subscriber> Layer<S> for Count {
            fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let count = Count::default();
        let limit = RateLimit {
            buckets: Arc::default(),
        };
        let subscriber = tracing_subscriber::registry()
            .with(count.clone())
            .with(limit);
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..50 {
                tracing::debug!("not limited");
            }
            for _ in 0..50 {
                tracing::info!("limited");
            }
            for _ in 0..50 {
                tracing::error!("limited");
            }
        });
        assert_eq!(count.0.load(Ordering::Relaxed), 50 + 20 + 20);
    }
}
