//! The place of an error as text: its position, and the lines around it.

use sluice_api::ErrorPlace;

use crate::commands::output::{BAD, FAINT, sanitized, styled};

/// `document` is the name of the document, for an error that is in no other file.
pub(super) fn place_lines(place: &ErrorPlace, document: &str) -> Vec<String> {
    let file = place.file.as_deref().unwrap_or(document);
    let ErrorPlace { line, column, .. } = place;
    let mut lines = vec![format!("at {}:{line}:{column}", sanitized(file))];
    for (number, text) in (place.first_line..).zip(&place.excerpt) {
        let text = sanitized(text);
        let row = format!("{number:>5} │ {text}");
        lines.push(if number == *line {
            format!("{} {row}", styled(BAD, ">"))
        } else {
            format!("  {}", styled(FAINT, &row))
        });
    }
    lines
}
