//! A limit of traces that clients begin. Endpoints are public, so anyone can ask for a recording.

use parking_lot::Mutex;

const SECOND_MS: i64 = 1_000;

/// Counts the traces of the current second.
pub(crate) struct ClientLimit {
    per_second: u32,
    current: Mutex<Window>,
}

#[derive(Default)]
struct Window {
    second: i64,
    count: u32,
}

impl ClientLimit {
    pub(crate) fn new(per_second: u32) -> ClientLimit {
        ClientLimit {
            per_second,
            current: Mutex::default(),
        }
    }

    /// Whether one more may be recorded.
    pub(crate) fn admits(&self, now_ms: i64) -> bool {
        let second = now_ms.div_euclid(SECOND_MS);
        let mut current = self.current.lock();
        if current.second != second {
            *current = Window { second, count: 0 };
        }
        let admits = current.count < self.per_second;
        current.count += u32::from(admits);
        admits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_admits_so_many_also_after_the_clock_was_set_back() {
        let limit = ClientLimit::new(2);
        let admitted = |now_ms| (0..3).filter(|_| limit.admits(now_ms)).count();
        assert_eq!((admitted(5_000), admitted(5_999)), (2, 0));
        assert_eq!((admitted(6_000), admitted(1_000)), (2, 2));
        assert!(!ClientLimit::new(0).admits(1_000));
    }
}
