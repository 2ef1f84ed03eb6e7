//! What is sent at once: one row, or several that make one object.

use std::collections::BTreeMap;

use serde::Deserialize;
use sluice_model::EmitId;
use sluice_store::sends::{SendKind, SendRow};

use super::s3_object;

pub(super) struct Parcel {
    /// At least one.
    pub(super) rows: Vec<SendRow>,
    /// Who gets it: those who are slow must not hold up others.
    pub(super) peer: String,
}

impl Parcel {
    pub(super) fn ids(&self) -> impl Iterator<Item = EmitId> {
        self.rows.iter().map(|row| row.id)
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.iter().map(|row| row.payload.len()).sum()
    }
}

/// Packs rows of one kind and user.
pub(super) fn pack(kind: SendKind, rows: Vec<SendRow>) -> Vec<Parcel> {
    if kind == SendKind::S3 {
        return pack_objects(rows);
    }
    rows.into_iter()
        .map(|row| Parcel {
            peer: host(&row).unwrap_or_default(),
            rows: vec![row],
        })
        .collect()
}

/// Rows that came due together for one place make an object. The same rows are packed in the same way each time, so that
/// to repeat what was not recorded writes the same objects again.
fn pack_objects(rows: Vec<SendRow>) -> Vec<Parcel> {
    let mut by_place: BTreeMap<_, Vec<SendRow>> = BTreeMap::new();
    for row in rows {
        let place = (row.due_at, s3_object::place(&row.payload));
        by_place.entry(place).or_default().push(row);
    }
    let mut parcels = Vec::new();
    for rows in by_place.into_values() {
        let mut left = rows.into_iter().peekable();
        while left.peek().is_some() {
            let mut bytes = 0;
            let mut object = Vec::new();
            while object.len() < s3_object::MOST_ROWS
                && let Some(row) = left.next_if(|row| {
                    object.is_empty() || bytes + row.payload.len() <= s3_object::MOST_BYTES
                })
            {
                bytes += row.payload.len();
                object.push(row);
            }
            parcels.push(Parcel {
                rows: object,
                peer: String::new(),
            });
        }
    }
    parcels
}

fn host(row: &SendRow) -> Option<String> {
    #[derive(Deserialize)]
    struct Destination {
        url: String,
    }
    let to: Destination = serde_json::from_str(&row.payload).ok()?;
    let url = reqwest::Url::parse(&to.url).ok()?;
    let port = url.port_or_known_default()?;
    Some(format!("{}:{port}", url.host_str()?))
}
