//! The lines of a text, which end as they do in YAML: with `\n`, `\r` or both.

use crate::workflow::position::Position;

/// Finding a column is slow. Text beyond this column gets no exact position.
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

    /// Both count from 1. A position behind the last line becomes its end.
    pub(super) fn position(&self, line: usize, column: usize) -> Position {
        let last = self.0.len().max(1);
        let (line, column) = if line > last {
            (last, self.line(last).chars().count() + 1)
        } else {
            (line, column)
        };
        let bounded = |number: usize| u32::try_from(number.max(1)).unwrap_or(u32::MAX);
        Position {
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

    /// The rest of the line from a position on. None beyond the largest column.
    pub(super) fn rest_of_line(&self, position: Position) -> Option<&'a str> {
        if position.column > MAX_COLUMN {
            return None;
        }
        let line = self.line(position.line as usize);
        let column = position.column.saturating_sub(1) as usize;
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
        let position = |line, column| Position { line, column };
        assert_eq!(lines.position(2, 5), position(2, 5));
        assert_eq!(lines.position(9, 1), position(4, 3));
        assert_eq!(lines.rest_of_line(position(4, 2)), Some("€"));
        assert_eq!(lines.rest_of_line(position(4, 3)), Some(""));
        assert_eq!(Lines::of("").position(1, 1), position(1, 1));
        assert_eq!(Lines::of("\r\n\n").0, ["", ""]);
    }
}
