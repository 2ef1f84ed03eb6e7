//! When to count the rows of an emitter again.
//!
//! Counting rows costs more than storing them, so it is done after as many new rows as fitted at the last count, plus some
//! slack.

use parking_lot::Mutex;

/// Rows that may be stored before the first count.
const FIRST_BUDGET: u64 = 500;

#[derive(Default)]
pub(super) struct RowBudget {
    state: Mutex<Option<State>>,
}

struct State {
    /// Rows to keep.
    keep: u64,
    /// Rows that may be stored before the next count.
    left: u64,
    /// Rows stored since the running count began.
    counting: Option<u64>,
}

impl RowBudget {
    /// Adds new rows; true when it is time to count, which is then running.
    pub(super) fn spend(&self, keep: u64, rows: u64) -> bool {
        if rows == 0 {
            return false;
        }
        let mut state = self.state.lock();
        let state = state.get_or_insert(State {
            keep,
            left: slack(keep).min(FIRST_BUDGET),
            counting: None,
        });
        if state.keep != keep {
            state.keep = keep;
            state.left = 0;
        }
        if let Some(meanwhile) = &mut state.counting {
            *meanwhile += rows;
            return false;
        }
        state.left = state.left.saturating_sub(rows);
        let is_exhausted = state.left == 0;
        state.counting = is_exhausted.then_some(0);
        is_exhausted
    }

    /// Ends a count with the number of rows, or `None` if it failed; true when the next count starts at once.
    pub(super) fn counted(&self, keep: u64, rows: Option<u64>) -> bool {
        let room = match rows {
            Some(rows) => keep.saturating_sub(rows).saturating_add(slack(keep)),
            None => FIRST_BUDGET,
        };
        let mut state = self.state.lock();
        let Some(state) = &mut *state else {
            return false;
        };
        let meanwhile = state.counting.take().unwrap_or_default();
        // The retention may have changed meanwhile.
        let room = if state.keep == keep { room } else { 0 };
        state.left = room.saturating_sub(meanwhile);
        let goes_on = meanwhile > 0 && state.left == 0 && state.keep == keep;
        state.counting = goes_on.then_some(0);
        goes_on
    }
}

/// Rows that may be stored beyond the retention before they are worth a count.
fn slack(keep: u64) -> u64 {
    keep / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_when_there_is_no_room_left() {
        let budget = RowBudget::default();
        assert!(!budget.spend(10_000, 499));
        assert!(budget.spend(10_000, 1));
        assert!(!budget.spend(10_000, 1_000), "one at a time");
        assert!(!budget.counted(10_000, Some(4_000)));
        assert!(!budget.spend(10_000, 5_999));
        assert!(budget.spend(10_000, 1));
        assert!(!budget.counted(10_000, Some(11_000)));
        assert!(!budget.spend(10_000, 999));
        assert!(budget.spend(10_000, 1));
    }

    #[test]
    fn few_rows_to_keep_are_looked_after_closely() {
        let budget = RowBudget::default();
        assert!(budget.spend(3, 1));
        assert!(!budget.counted(3, Some(1)));
        assert!(!budget.spend(3, 1));
        assert!(budget.spend(3, 1));
        assert!(!budget.spend(3, 1), "one at a time");
        assert!(
            budget.counted(3, Some(3)),
            "what came meanwhile is looked at"
        );
        assert!(!budget.counted(3, Some(4)));
        assert!(!budget.spend(3, 0), "nothing new");
        assert!(budget.spend(3, 1));
    }

    #[test]
    fn a_change_of_what_to_keep_is_due_at_once() {
        let budget = RowBudget::default();
        assert!(!budget.spend(10_000, 1));
        assert!(budget.spend(20, 1));
        assert!(!budget.spend(10, 1));
        assert!(!budget.counted(20, Some(5)));
        assert!(budget.spend(10, 1), "the look was for another number");
    }
}
