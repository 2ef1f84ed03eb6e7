//! The output of commands: aligned text, or JSON.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const CHANGED: Style = AnsiColor::Yellow.on_default();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Writes to standard output, with colours only on a terminal.
pub(crate) fn show(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes to standard error, with colours only on a terminal.
pub(crate) fn show_stderr(text: &str) -> io::Result<()> {
    anstream::stderr().lock().write_all(text.as_bytes())
}

pub(crate) fn show_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(show(&text)?)
}

pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A table with aligned columns. Escape codes have no width.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(header: &[&str]) -> Table {
        let header = header.iter().map(|name| styled(FAINT, name)).collect();
        Table { rows: vec![header] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn to_text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| width(cell)).max().unwrap_or_default()
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, column) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.push_str(&" ".repeat(column + 2 - width(cell)));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Shows a table, or JSON. For an empty list it shows a hint how to create an item.
pub(crate) fn show_list<T: Serialize>(
    items: &[T],
    json: bool,
    header: &[&str],
    hint: &str,
    row: impl Fn(&T) -> Vec<String>,
) -> anyhow::Result<()> {
    if json {
        return show_json(&items);
    }
    if items.is_empty() {
        return Ok(show_stderr(&format!("{hint}\n"))?);
    }
    let mut table = Table::new(header);
    for item in items {
        table.row(row(item));
    }
    Ok(show(&table.to_text())?)
}

/// Names and values, one per line.
pub(crate) fn fields(fields: &[(&str, String)]) -> String {
    let width = fields.iter().map(|(name, _)| name.len()).max();
    let lines = fields.iter().map(|(name, value)| {
        let pad = " ".repeat(width.unwrap_or_default() - name.len());
        format!("{FAINT}{name}{FAINT:#}{pad}  {value}\n")
    });
    lines.collect()
}

fn width(text: &str) -> usize {
    anstream::adapter::strip_str(text)
        .to_string()
        .chars()
        .count()
}

/// Removes control characters and escape codes from untrusted text.
pub(crate) fn sanitized(text: &str) -> String {
    let text = anstream::adapter::strip_str(text).to_string();
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}

/// A time in the local time zone, with its offset from UTC.
pub(crate) fn local_time(epoch_ms: i64) -> String {
    time_in(TimeZone::system(), epoch_ms)
}

fn time_in(zone: TimeZone, epoch_ms: i64) -> String {
    Timestamp::from_millisecond(epoch_ms).map_or_else(
        |_| "-".to_owned(),
        |time| {
            let local = time.to_zoned(zone);
            local.strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
        },
    )
}

/// The state of a source, workflow or webhook.
pub(crate) fn activity(active: bool) -> String {
    if active {
        styled(GOOD, "active")
    } else {
        styled(FAINT, "inactive")
    }
}

/// A duration with a unit.
pub(crate) fn duration(ms: i64) -> String {
    match ms {
        ..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// A count with its noun: `1 file`, `2 files`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_with_and_without_colours() {
        let mut table = Table::new(&["NAME", "STATE"]);
        table.row(vec![styled(GOOD, "a"), "on".to_owned()]);
        table.row(vec!["längst".to_owned(), String::new()]);
        let plain = anstream::adapter::strip_str(&table.to_text()).to_string();
        assert_eq!(plain, "NAME    STATE\na       on\nlängst\n");
    }

    #[test]
    fn times_have_an_offset() {
        assert_eq!(time_in(TimeZone::UTC, 0), "1970-01-01 00:00:00 +00:00");
        let kathmandu = TimeZone::get("Asia/Kathmandu").unwrap();
        assert_eq!(
            time_in(kathmandu, 1_700_000_000_000),
            "2023-11-15 03:58:20 +05:45"
        );
        assert_eq!(local_time(i64::MAX), "-");
    }

    #[test]
    fn durations_have_a_suitable_unit() {
        assert_eq!(duration(12), "12 ms");
        assert_eq!(duration(1250), "1.2 s");
        assert_eq!(duration(61_000), "1 min 1 s");
    }
}
