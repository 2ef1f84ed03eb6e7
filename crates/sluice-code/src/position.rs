//! Positions of errors in code.

use sluice_model::CodeError;

/// An error at a byte offset.
pub(crate) fn error_at(code: &str, offset: usize, message: String) -> CodeError {
    let (line, column) = position(code, offset);
    CodeError {
        line,
        column,
        ..CodeError::without_position(message)
    }
}

/// Line and column of a byte offset. Columns count UTF-16 units, as JavaScript engines do.
pub(crate) fn position(code: &str, offset: usize) -> (Option<u32>, Option<u32>) {
    let before = &code[..code.floor_char_boundary(offset)];
    let line = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].encode_utf16().count() + 1;
    (u32::try_from(line).ok(), u32::try_from(column).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_inside_a_character_or_past_the_end_has_a_position() {
        assert_eq!(position("a\né b", 5), (Some(2), Some(3)));
        assert_eq!(position("é", 1), (Some(1), Some(1)));
        assert_eq!(position("ab", 9), (Some(1), Some(3)));
    }
}
