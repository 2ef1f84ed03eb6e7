//! Limits of a batch in rows and bytes, so that one transaction does not hold its thread for long.

use sluice_model::{EmitId, EventId, InvocationId};

use crate::{
    error::Result,
    event_id_row::EventIdRow,
    row::{FromRow, Row},
};

/// The limits of a batch: rows, and bytes of their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimit {
    pub rows: u32,
    pub bytes: u64,
}

impl BatchLimit {
    /// How many of the rows with these sizes fit: at least one, if there is any.
    pub(crate) fn fitting(self, sizes: impl IntoIterator<Item = u64>) -> u32 {
        let mut total = 0_u64;
        let mut fitting = 0;
        for size in sizes {
            total = total.saturating_add(size);
            if fitting > 0 && total > self.bytes {
                break;
            }
            fitting += 1;
        }
        fitting
    }

    /// The keys of the first rows, as many as fit.
    pub(crate) fn of<K>(self, rows: Vec<SizedRow<K>>) -> Vec<K> {
        let fitting = self.fitting(rows.iter().map(|row| row.bytes));
        let keys = rows.into_iter().map(|row| row.key);
        keys.take(fitting as usize).collect()
    }
}

/// The key of a row, and the size of its content.
pub(crate) struct SizedRow<K> {
    pub(crate) key: K,
    pub(crate) bytes: u64,
}

impl FromRow for SizedRow<EventId> {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let EventIdRow(key) = EventIdRow::from_row(row)?;
        let bytes = row.get(2)?;
        Ok(SizedRow { key, bytes })
    }
}

impl FromRow for SizedRow<i64> {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SizedRow {
            key: row.get(0)?,
            bytes: row.get(1)?,
        })
    }
}

impl FromRow for SizedRow<InvocationId> {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SizedRow {
            key: row.get(0)?,
            bytes: row.get(1)?,
        })
    }
}

impl FromRow for SizedRow<EmitId> {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SizedRow {
            key: row.get(0)?,
            bytes: row.get(1)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_taken_until_they_are_too_many_bytes_but_one_always_is() {
        let limit = BatchLimit {
            rows: 9,
            bytes: 100,
        };
        assert_eq!(limit.fitting(vec![]), 0);
        assert_eq!(limit.fitting(vec![40, 60, 1]), 2);
        assert_eq!(limit.fitting(vec![500, 1]), 1);
        assert_eq!(limit.fitting(vec![0, 0, 100]), 3);
        assert_eq!(limit.fitting(vec![1, u64::MAX]), 1);
    }
}
