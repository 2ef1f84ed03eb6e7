//! The lines of a text, which end as they do in YAML: with `\n`, `\r` or both.

use crate::workflow::places::Place;

/// Finding a column takes time; a line that is longer was written by nobody.
const MAX_COLUMN: u32 = 2000;

pub(super) struct Lines<'a>(Vec<&'a str>);

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let ends_with_break = text.ends_with(['\n', '\r']);
        let mut lines: Vec<_> = text
            .split('\n')
            .flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
            .collect();
        if ends_with_break {
            lines.pop();
        }
        Lines(lines)
    }

    /// Both count from 1. What lies behind the last line is at its end.
    pub(super) fn place(&self, line: usize, column: usize) -> Place {
        let last = self.0.len().max(1);
        let (line, column) = if line > last {
            (last, self.line(last).chars().count() + 1)
        } else {
            (line, column)
        };
        let bounded = |number: usize| u32::try_from(number.max(1)).unwrap_or(u32::MAX);
        Place {
            line: bounded(line),
            column: bounded(column),
        }
    }

    /// Empty when there is no such line.
    pub(super) fn line(&self, line: usize) -> &'a str {
        let index = line.checked_sub(1);
        let line = index.and_then(|index| self.0.get(index));
        line.copied().unwrap_or_default()
    }

    /// What stands in its line from a place on. None far out in a long line.
    pub(super) fn rest_of_line(&self, place: Place) -> Option<&'a str> {
        if place.column > MAX_COLUMN {
            return None;
        }
        let line = self.line(place.line as usize);
        let column = place.column.saturating_sub(1) as usize;
        let start = line.char_indices().nth(column);
        Some(start.map_or("", |(start, _)| &line[start..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let lines = Lines::of("a\nbb\r\nccc\rä€\n");
        assert_eq!(lines.0, ["a", "bb", "ccc", "ä€"]);
        let place = |line, column| Place { line, column };
        assert_eq!(lines.place(2, 5), place(2, 5));
        assert_eq!(lines.place(9, 1), place(4, 3));
        assert_eq!(lines.rest_of_line(place(4, 2)), Some("€"));
        assert_eq!(lines.rest_of_line(place(4, 3)), Some(""));
        assert_eq!(Lines::of("").place(1, 1), place(1, 1));
        assert_eq!(Lines::of("\r\n\n").0, ["", ""]);
    }
}
