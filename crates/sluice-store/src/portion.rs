//! How much of many rows one transaction takes on, so that it does not hold its thread for long.

use sluice_model::EventId;

use crate::{
    error::Result,
    events::Id,
    row::{FromRow, Row},
};

/// So many rows, and no more after those that reach so many bytes.
#[derive(Debug, Clone, Copy)]
pub struct Portion {
    pub rows: u32,
    pub bytes: u64,
}

impl Portion {
    /// The first of the rows, at least one if there is one.
    pub(crate) fn of<K>(self, rows: Vec<Weighed<K>>) -> Vec<K> {
        let mut bytes = 0;
        let fitting = rows.into_iter().take(self.rows as usize).take_while(|row| {
            let fits = bytes < self.bytes;
            bytes += row.bytes;
            fits
        });
        fitting.map(|row| row.key).collect()
    }
}

/// The key of a row, and the size of what else is in it.
pub(crate) struct Weighed<K> {
    pub(crate) key: K,
    pub(crate) bytes: u64,
}

impl FromRow for Weighed<EventId> {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let Id(key) = Id::from_row(row)?;
        let bytes = row.get(2)?;
        Ok(Weighed { key, bytes })
    }
}

impl FromRow for Weighed<i64> {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Weighed {
            key: row.get(0)?,
            bytes: row.get(1)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portion_ends_with_its_rows_or_its_bytes() {
        let portion = Portion { rows: 3, bytes: 10 };
        let of = |sizes: &[u64]| {
            let weigh = |(key, bytes): (usize, &u64)| Weighed { key, bytes: *bytes };
            portion.of(sizes.iter().enumerate().map(weigh).collect())
        };
        assert_eq!(of(&[]), [0; 0]);
        assert_eq!(of(&[1, 1]), [0, 1]);
        assert_eq!(of(&[1, 1, 1, 1]), [0, 1, 2]);
        assert_eq!(of(&[5, 5, 1]), [0, 1]);
        assert_eq!(of(&[90, 1]), [0]);
    }
}
