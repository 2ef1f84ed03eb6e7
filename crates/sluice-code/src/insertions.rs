//! Texts that are inserted into code, and the offsets after that.

/// Offsets in the original code, in ascending order, each with the text that goes there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Insertions(Vec<(usize, &'static str)>);

impl Insertions {
    pub(crate) fn new(insertions: impl Into<Vec<(usize, &'static str)>>) -> Insertions {
        Insertions(insertions.into())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn apply(&self, code: &str) -> String {
        let mut changed = code.to_owned();
        // From the end, so that earlier offsets stay valid.
        for (at, text) in self.0.iter().rev() {
            changed.insert_str(*at, text);
        }
        changed
    }

    /// The place of an original offset in the changed code.
    pub(crate) fn shifted(&self, offset: usize) -> usize {
        let before = self.0.iter().take_while(|(at, _)| *at <= offset);
        offset + before.map(|(_, text)| text.len()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_follow_the_text() {
        let insertions = Insertions::new([(0, "__"), (2, "-")]);
        assert_eq!(insertions.apply("abcd"), "__ab-cd");
        let offsets: Vec<usize> = (0..4).map(|offset| insertions.shifted(offset)).collect();
        assert_eq!(offsets, [2, 3, 5, 6]);
    }
}
