//! When to count the rows of a source again.

use parking_lot::Mutex;
use sluice_store::StoreError;

use super::later;

/// What the owner of a source that it has not counted yet may store before it does.
const AT_FIRST: u64 = 500;

#[derive(Default)]
pub(super) struct Lookout {
    state: Mutex<Option<State>>,
}

struct State {
    /// How many rows are to be kept.
    keep: u64,
    /// Rows that may be stored before the next look.
    left: u64,
    /// Rows that were stored since the look that is under way began.
    under_way: Option<u64>,
}

impl Lookout {
    /// Takes note of new rows, and says whether it is time for a look, which is then under way.
    pub(super) fn is_due(&self, keep: u64, rows: u64) -> bool {
        if rows == 0 {
            return false;
        }
        let mut state = self.state.lock();
        let state = state.get_or_insert(State {
            keep,
            left: slack(keep).min(AT_FIRST),
            under_way: None,
        });
        if state.keep != keep {
            state.keep = keep;
            state.left = 0;
        }
        if let Some(meanwhile) = &mut state.under_way {
            *meanwhile += rows;
            return false;
        }
        state.left = state.left.saturating_sub(rows);
        let is_due = state.left == 0;
        state.under_way = is_due.then_some(0);
        is_due
    }

    /// Ends a look that was to keep `keep` rows and found so many; says whether the next one has begun with that.
    pub(super) fn looked(&self, keep: u64, found: Result<u64, StoreError>) -> bool {
        let room = match found {
            Ok(rows) => keep.saturating_sub(rows).saturating_add(slack(keep)),
            Err(error) => {
                later(&error);
                AT_FIRST
            }
        };
        let mut state = self.state.lock();
        let Some(state) = &mut *state else {
            return false;
        };
        let meanwhile = state.under_way.take().unwrap_or_default();
        // What to keep may have changed meanwhile.
        let room = if state.keep == keep { room } else { 0 };
        state.left = room.saturating_sub(meanwhile);
        let goes_on = meanwhile > 0 && state.left == 0 && state.keep == keep;
        state.under_way = goes_on.then_some(0);
        goes_on
    }
}

/// What may be stored beyond retention before it is worth a look.
fn slack(keep: u64) -> u64 {
    keep / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_when_there_is_no_room_left() {
        let lookout = Lookout::default();
        assert!(!lookout.is_due(10_000, 499));
        assert!(lookout.is_due(10_000, 1));
        assert!(!lookout.is_due(10_000, 1_000), "one at a time");
        assert!(!lookout.looked(10_000, Ok(4_000)));
        assert!(!lookout.is_due(10_000, 5_999));
        assert!(lookout.is_due(10_000, 1));
        assert!(!lookout.looked(10_000, Ok(11_000)));
        assert!(!lookout.is_due(10_000, 999));
        assert!(lookout.is_due(10_000, 1));
    }

    #[test]
    fn few_rows_to_keep_are_looked_after_closely() {
        let lookout = Lookout::default();
        assert!(lookout.is_due(3, 1));
        assert!(!lookout.looked(3, Ok(1)));
        assert!(!lookout.is_due(3, 1));
        assert!(lookout.is_due(3, 1));
        assert!(!lookout.is_due(3, 1), "one at a time");
        assert!(lookout.looked(3, Ok(3)), "what came meanwhile is looked at");
        assert!(!lookout.looked(3, Ok(4)));
        assert!(!lookout.is_due(3, 0), "nothing new");
        assert!(lookout.is_due(3, 1));
    }

    #[test]
    fn a_change_of_what_to_keep_is_due_at_once() {
        let lookout = Lookout::default();
        assert!(!lookout.is_due(10_000, 1));
        assert!(lookout.is_due(20, 1));
        assert!(!lookout.is_due(10, 1));
        assert!(!lookout.looked(20, Ok(5)));
        assert!(lookout.is_due(10, 1), "the look was for another number");
    }
}
