//! The clock of a node. Nodes that share a database have the time of the database, wherever their own clocks stand, so due times
//! that one stores mean the same to all.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicI64, Ordering},
};

use sluice_model::{Clock, SystemClock};
use sluice_store::{Store, StoreError, nodes};

use crate::boot_time;

/// The time goes back by no more than this at once while the database's clock runs normally.
const SLEW_MS: i64 = 100;
/// A database whose clock is behind by more than this was set back. Due times are corrected then.
const SET_BACK_MS: i64 = 1_000;

/// The clock of the machine, until it follows a database. Clones are one clock.
#[derive(Clone, Default)]
pub struct NodeClock(Arc<OnceLock<Arc<DatabaseTime>>>);

impl NodeClock {
    /// Has the time of the database from now on. A server with a database of its own keeps the time of the machine.
    pub fn follow(&self, time: Option<Arc<DatabaseTime>>) {
        if let Some(time) = time {
            // It follows one database only.
            let _ = self.0.set(time);
        }
    }
}

impl Clock for NodeClock {
    fn now_ms(&self) -> i64 {
        match self.0.get() {
            Some(time) => time.at(boot_time::now_ms()),
            None => SystemClock.now_ms(),
        }
    }
}

/// The time of the database, counted by the time since the start of the machine, which is never set.
#[derive(Debug)]
pub struct DatabaseTime {
    /// What is added to the time of the machine.
    offset: AtomicI64,
}

/// The database's time, read between two moments of this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) before: i64,
    pub(crate) database: i64,
    pub(crate) after: i64,
}

impl DatabaseTime {
    pub(crate) fn new(reading: Reading) -> DatabaseTime {
        let (earliest, latest) = reading.offsets();
        DatabaseTime {
            offset: AtomicI64::new(i64::midpoint(earliest, latest)),
        }
    }

    /// Reads it for the first time.
    pub(crate) async fn read(store: &Store) -> Result<DatabaseTime, StoreError> {
        let read = store.heartbeat(|c| {
            // The first query may have to connect.
            nodes::time(c)?;
            let before = boot_time::now_ms();
            let database = nodes::time(c)?;
            let after = boot_time::now_ms();
            Ok(Reading {
                before,
                database,
                after,
            })
        });
        Ok(DatabaseTime::new(read.await?))
    }

    /// Corrects the time by as little as a reading requires.
    pub(crate) fn correct(&self, reading: Reading) {
        let (earliest, latest) = reading.offsets();
        let offset = self.offset.load(Ordering::Relaxed);
        let correct = offset.clamp(earliest, latest);
        let corrected = if offset - correct > SET_BACK_MS {
            correct
        } else {
            correct.max(offset - SLEW_MS)
        };
        self.offset.store(corrected, Ordering::Relaxed);
    }

    fn at(&self, boot_ms: i64) -> i64 {
        boot_ms + self.offset.load(Ordering::Relaxed)
    }
}

impl Reading {
    /// The bounds of the difference between the two clocks.
    fn offsets(self) -> (i64, i64) {
        let Reading {
            before,
            database,
            after,
        } = self;
        // Both clocks are read in whole milliseconds.
        (database - after - 1, database - before + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(before: i64, database: i64, after: i64) -> Reading {
        Reading {
            before,
            database,
            after,
        }
    }

    #[test]
    fn a_reading_that_agrees_changes_nothing() {
        let time = DatabaseTime::new(reading(100, 5_000, 110));
        assert_eq!(time.at(105), 5_000);
        time.correct(reading(1_100, 6_000, 1_120));
        time.correct(reading(2_100, 7_010, 2_120));
        assert_eq!(time.at(2_105), 7_000);
    }

    #[test]
    fn the_time_follows_the_database_forward_at_once() {
        let time = DatabaseTime::new(reading(100, 5_000, 100));
        time.correct(reading(1_100, 36_000, 1_100));
        assert_eq!(time.at(1_100), 35_999);
    }

    #[test]
    fn the_time_goes_back_in_small_steps() {
        let time = DatabaseTime::new(reading(100, 5_000, 100));
        let behind = |boot: i64| reading(boot, boot + 4_900 - 250, boot);
        for (boot, expected) in [
            (1_100, 5_900),
            (2_100, 6_800),
            (3_100, 7_751),
            (4_100, 8_751),
        ] {
            time.correct(behind(boot));
            assert_eq!(time.at(boot), expected);
        }
    }

    #[test]
    fn a_database_whose_clock_was_set_back_is_followed_at_once() {
        let time = DatabaseTime::new(reading(100, 5_000_000, 100));
        time.correct(reading(1_100, 1_000, 1_100));
        assert_eq!(time.at(1_100), 1_001);
    }

    #[test]
    fn a_clock_without_a_database_has_the_time_of_the_machine() {
        let (clock, machine) = (NodeClock::default(), SystemClock.now_ms());
        assert!((machine..machine + 60_000).contains(&clock.now_ms()));
    }
}
