//! Searches step by step, within a budget.

use std::time::{Duration, Instant};

use super::step::{Direction, Part, Step};
use crate::{conn::Conn, error::Result, store::Store};

/// Steps grow from the first to the last size: a page that fills up early reads little.
const FIRST_STEP: u32 = 250;
const LAST_STEP: u32 = 4_000;
/// Steps grow while one takes less than this part of the time: on a slow machine a scan would otherwise overrun it.
const SHARE: u32 = 6;

/// How much one scan may look at. The first step is always made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub rows: usize,
    pub time: Duration,
}

/// The page to fill. `after` asks for older rows. `before` alone asks for the newer ones that are nearest to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range<K> {
    pub limit: u32,
    pub after: Option<K>,
    pub before: Option<K>,
}

/// The matches of a page, newest first.
#[derive(Debug, PartialEq, Eq)]
pub struct Matches<K, R> {
    pub rows: Vec<R>,
    /// The row up to which the scan has looked. None when there is nothing beyond.
    pub searched_to: Option<K>,
}

/// Makes steps until the page is full, everything is searched or the budget is used up. Other reads can run between two steps.
pub async fn scan<K: Copy + Send + 'static, R: Send + 'static>(
    store: &Store,
    range: Range<K>,
    budget: Budget,
    step: impl Fn(&mut dyn Conn, &Part<K>) -> Result<Step<K, R>> + Clone + Send + 'static,
) -> Result<Matches<K, R>> {
    let start = Instant::now();
    let (direction, from) = match (range.after, range.before) {
        (None, Some(before)) => (Direction::Newer, Some(before)),
        (after, _) => (Direction::Older, after),
    };
    let mut part = Part {
        direction,
        from,
        rows: FIRST_STEP,
        wanted: range.limit as usize,
    };
    let mut rows = Vec::new();
    let mut looked_at = 0;
    loop {
        let step = step.clone();
        let step_start = Instant::now();
        let Step {
            found,
            next,
            looked_at: in_step,
        } = store.read(move |c| step(c, &part)).await?;
        part.wanted -= found.len();
        rows.extend(found);
        looked_at += in_step;
        // The next step takes at least as long as this one.
        let took = step_start.elapsed();
        let is_spent = looked_at >= budget.rows || start.elapsed() + took >= budget.time;
        if next.is_none() || part.wanted == 0 || is_spent {
            if direction == Direction::Newer {
                rows.reverse();
            }
            let searched_to = next;
            return Ok(Matches { rows, searched_to });
        }
        part.from = next;
        if took * SHARE <= budget.time {
            part.rows = (part.rows * 2).min(LAST_STEP);
        }
    }
}
