//! The rows of the table: one column for each program, and one row for each measurement.

use super::{
    results::Results,
    survival::Survival,
    table::{number, number_of, percent},
    work::Work,
};

type Row<T> = (&'static str, fn(&T) -> String);

/// The rows of one load, below that of its rate.
const WORK: [Row<Work>; 3] = [
    ("response, p50 and p99", |work| {
        format!("{} ms, {} ms", number(work.p50_ms), number(work.p99_ms))
    }),
    ("CPU per event", |work| {
        format!("{} ms", number(work.cpu_ms_per_event))
    }),
    ("memory, idle and peak", |work| {
        format!(
            "{} MB, {} MB",
            number(work.idle_megabytes),
            number(work.peak_megabytes)
        )
    }),
];

/// The rows about acknowledged events, below that of their number.
const SURVIVAL: [Row<Survival>; 4] = [
    ("of these, processed and stored", |survival| {
        format!(
            "{} ({})",
            number_of(survival.processed),
            percent(survival.processed, survival.acknowledged)
        )
    }),
    ("stored, but never processed", |survival| {
        number_of(survival.unprocessed)
    }),
    ("lost", |survival| number_of(survival.lost)),
    ("processed twice", |survival| number_of(survival.repeated)),
];

/// The rows of the table, the head first.
pub(crate) fn rows(programs: &[Results]) -> Vec<Vec<String>> {
    let mut rows = vec![row(programs, "", |program| {
        format!("{} {}", program.name, program.version)
    })];
    let loads = programs.iter().map(|program| program.work.len()).min();
    for index in 0..loads.unwrap_or_default() {
        rows.extend(rows_of_load(programs, index));
    }
    let kills = programs.first().map(|program| program.survival.kills);
    let acknowledged = format!("acknowledged around {} SIGKILLs", kills.unwrap_or_default());
    rows.push(row(programs, &acknowledged, |program| {
        number_of(program.survival.acknowledged)
    }));
    rows.extend(SURVIVAL.map(|(label, cell)| row(programs, label, |it| cell(&it.survival))));
    rows
}

fn rows_of_load(programs: &[Results], index: usize) -> Vec<Vec<String>> {
    let connections = programs.first().map(|first| first.work[index].connections);
    let rate = format!(
        "events per second, {} connections",
        connections.unwrap_or_default()
    );
    let mut rows = vec![row(programs, &rate, |program| {
        number(program.work[index].events_per_second)
    })];
    rows.extend(WORK.map(|(label, cell)| row(programs, label, |it| cell(&it.work[index]))));
    let errors = |program: &Results| program.work[index].errors();
    if programs.iter().any(|program| errors(program) > 0) {
        rows.push(row(programs, "rejected or without response", |program| {
            errors(program).to_string()
        }));
    }
    rows
}

fn row(programs: &[Results], label: &str, cell: impl Fn(&Results) -> String) -> Vec<String> {
    let cells = programs.iter().map(cell);
    std::iter::once(label.to_owned()).chain(cells).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(rejected: u64) -> Results {
        let work = |connections| Work {
            connections,
            events_per_second: 1234.5,
            p50_ms: 1.0,
            p99_ms: 20.0,
            rejected,
            broken_connections: 0,
            idle_megabytes: 50.0,
            peak_megabytes: 100.0,
            cpu_ms_per_event: 0.1,
        };
        Results {
            name: "Sluice",
            version: "1.0.0".to_owned(),
            work: vec![work(32), work(128)],
            survival: Survival {
                kills: 3,
                acknowledged: 10,
                processed: 9,
                lost: 1,
                ..Survival::default()
            },
        }
    }

    #[test]
    fn every_row_has_a_cell_for_every_program() {
        let rows = rows(&[program(0), program(0)]);
        assert!(rows.iter().all(|row| row.len() == 3));
        assert_eq!(rows[0], ["", "Sluice 1.0.0", "Sluice 1.0.0"]);
        assert_eq!(rows[1][0], "events per second, 32 connections");
        assert_eq!(rows[5][0], "events per second, 128 connections");
        assert_eq!(rows[10][1], "9 (90.0 %)");
        assert_eq!(rows.len(), 14);
    }

    #[test]
    fn rejected_requests_are_shown_if_there_are_any() {
        let rows = rows(&[program(0), program(7)]);
        assert_eq!(rows[5], ["rejected or without response", "0", "7"]);
    }

    #[test]
    fn without_programs_there_is_still_a_table() {
        assert!(!rows(&[]).is_empty());
    }
}
