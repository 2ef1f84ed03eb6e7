//! Tables in Markdown, aligned for the terminal too, and the format of their numbers.

/// Renders rows of equal length. The first row is the head, and the first column has the labels.
pub(crate) fn render(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        text.extend(["| ", &cells.join(" | "), " |\n"]);
        if index == 0 {
            let dashes = widths.iter().map(|width| "-".repeat(width + 2));
            let dashes: Vec<String> = dashes.collect();
            text.extend(["|", &dashes.join("|"), "|\n"]);
        }
    }
    text
}

/// Formats a number with three significant digits, or as a whole number.
pub(crate) fn number(value: f64) -> String {
    match value {
        _ if value >= 100.0 => grouped(&format!("{value:.0}")),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ if value >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Formats a count.
pub(crate) fn number_of(count: usize) -> String {
    grouped(&count.to_string())
}

/// A share in percent. It is rounded down, so that 100 % means all.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "none".to_owned();
    }
    let thousandths = part * 1000 / whole;
    match thousandths {
        1000 => "100 %".to_owned(),
        _ => format!("{}.{} %", thousandths / 10, thousandths % 10),
    }
}

/// Separates thousands.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["", "Sluice"], ["events per second", "9"]];
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
            .collect();
        let expected = "\
|                   | Sluice |
|-------------------|--------|
| events per second | 9      |
";
        assert_eq!(render(&rows), expected);
    }

    #[test]
    fn numbers_have_three_significant_digits_or_more() {
        let numbers = [0.0461, 1.234, 18.27, 123.4, 22_000.4, 1_234_567.0].map(number);
        let expected = ["0.046", "1.23", "18.3", "123", "22,000", "1,234,567"];
        assert_eq!(numbers, expected);
    }

    #[test]
    fn only_all_of_them_are_a_hundred_percent() {
        assert_eq!(percent(99_999, 100_000), "99.9 %");
        assert_eq!(percent(5, 5), "100 %");
        assert_eq!(percent(0, 5), "0.0 %");
        assert_eq!(percent(0, 0), "none");
    }
}
