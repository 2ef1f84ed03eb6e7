//! Latencies in logarithmic buckets: constant memory, and any quantile to within one percent.

use std::time::Duration;

/// Each power of two is split into this many buckets, which bounds the error to 1/128.
const STEPS: u64 = 1 << STEP_BITS;
const STEP_BITS: u32 = 7;
/// Enough for every number of microseconds below 2^32, which is more than an hour.
const BUCKETS: usize = (32 - STEP_BITS as usize + 1) << STEP_BITS;

#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: vec![0; BUCKETS],
            total: 0,
        }
    }
}

impl Histogram {
    pub(crate) fn record(&mut self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.counts[bucket_of(micros).min(BUCKETS - 1)] += 1;
        self.total += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
    }

    /// A quantile: 500 thousandths are the median, 990 the 99th percentile.
    pub(crate) fn quantile(&self, thousandths: u64) -> Duration {
        let wanted = (self.total * thousandths).div_ceil(1000).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Duration::from_micros(lowest_of(bucket));
            }
        }
        Duration::ZERO
    }
}

/// Values below `STEPS` have a bucket each; above, a bucket covers `2^shift` values.
fn bucket_of(micros: u64) -> usize {
    let shift = micros
        .checked_ilog2()
        .unwrap_or(0)
        .saturating_sub(STEP_BITS);
    let bucket = u64::from(shift) * STEPS + (micros >> shift);
    usize::try_from(bucket).unwrap_or(usize::MAX)
}

fn lowest_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / STEPS).saturating_sub(1);
    (bucket - shift * STEPS) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_within_one_percent_of_its_bucket() {
        for micros in (0..200_000).chain([1 << 20, (1 << 31) + 12_345]) {
            let lowest = lowest_of(bucket_of(micros));
            assert!(lowest <= micros, "{micros} is below its bucket");
            assert!(
                (micros - lowest) * 100 <= micros,
                "{micros} is far from {lowest}"
            );
        }
    }

    #[test]
    fn quantiles_of_a_known_distribution() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|micros| histogram.record(Duration::from_micros(micros)));
        assert_eq!(histogram.quantile(500), Duration::from_micros(50));
        assert_eq!(histogram.quantile(990), Duration::from_micros(99));
        assert_eq!(Histogram::default().quantile(500), Duration::ZERO);
    }

    #[test]
    fn a_latency_beyond_the_last_bucket_is_still_counted() {
        let mut histogram = Histogram::default();
        histogram.record(Duration::from_hours(10));
        assert!(histogram.quantile(500) > Duration::from_hours(1));
    }
}
