//! How much a reader takes at once, when what it reads may be large.

/// Bounds on what one read gives: rows, and bytes of their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portion {
    pub rows: u32,
    pub bytes: u64,
}

impl Portion {
    /// How many of the rows with these sizes fit: one at least, when there is any.
    pub(crate) fn fitting(self, sizes: Vec<u64>) -> u32 {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_taken_until_they_are_too_many_bytes_but_one_always_is() {
        let portion = Portion {
            rows: 9,
            bytes: 100,
        };
        assert_eq!(portion.fitting(vec![]), 0);
        assert_eq!(portion.fitting(vec![40, 60, 1]), 2);
        assert_eq!(portion.fitting(vec![500, 1]), 1);
        assert_eq!(portion.fitting(vec![0, 0, 100]), 3);
        assert_eq!(portion.fitting(vec![1, u64::MAX]), 1);
    }
}
