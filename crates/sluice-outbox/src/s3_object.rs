//! The object that rows for one bucket and prefix make: a line for each, compressed, under a name that the rows alone
//! determine.

use std::io::{self, Write};

use flate2::{Compression, write::GzEncoder};
use jiff::{Timestamp, tz::TimeZone};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use sluice_store::{BatchLimit, sends::SendRow};

/// In one object.
pub(crate) const MAX_ROWS: usize = 1_000;
pub(crate) const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Rows that are packed at once.
pub(crate) const WINDOW: BatchLimit = BatchLimit {
    rows: 5_000,
    bytes: 8 * 1024 * 1024,
};
/// Of the hash of the rows' ids.
const HASH_BYTES: usize = 8;

pub(crate) struct Object {
    pub(crate) bucket: String,
    pub(crate) key: String,
    pub(crate) content: Vec<u8>,
}

/// The parameters of the call.
#[derive(Deserialize)]
struct Order {
    bucket: String,
    prefix: String,
    payload: Box<RawValue>,
}

/// The bucket and the prefix of a row, if it has them.
pub(crate) fn place(payload: &str) -> Option<(String, String)> {
    #[derive(Deserialize)]
    struct Place {
        bucket: String,
        prefix: String,
    }
    let Place { bucket, prefix } = serde_json::from_str(payload).ok()?;
    Some((bucket, prefix))
}

impl Object {
    /// From at least one row for one bucket and prefix.
    pub(crate) fn of(rows: &[SendRow]) -> Result<Object, String> {
        let mut place = None;
        let mut lines = GzEncoder::new(Vec::new(), Compression::default());
        for row in rows {
            let Order {
                bucket,
                prefix,
                payload,
            } = serde_json::from_str(&row.payload)
                .map_err(|error| format!("the object is not understood: {error}"))?;
            write_line(&mut lines, &payload).map_err(|error| error.to_string())?;
            place = Some((bucket, prefix));
        }
        let (bucket, prefix) = place.ok_or("there is nothing to write")?;
        check_bucket(&bucket)?;
        Ok(Object {
            key: key(&prefix, rows)?,
            content: lines.finish().map_err(|error| error.to_string())?,
            bucket,
        })
    }
}

/// Text of one line is written as it is, everything else as JSON on one line.
fn write_line(to: &mut impl Write, payload: &RawValue) -> io::Result<()> {
    let json = payload.get();
    match serde_json::from_str::<String>(json) {
        Ok(text) if !text.contains(['\n', '\r']) => to.write_all(text.as_bytes())?,
        // Within strings line ends are escaped; between values they mean nothing.
        _ => to.write_all(json.replace(['\n', '\r'], " ").as_bytes())?,
    }
    to.write_all(b"\n")
}

fn key(prefix: &str, rows: &[SendRow]) -> Result<String, String> {
    let prefix = prefix.trim_matches('/');
    if prefix.split('/').any(|part| matches!(part, "." | "..")) {
        return Err(format!("the prefix {prefix:?} is not one that S3 can have"));
    }
    let newest = rows.iter().map(|row| row.created_at).max().unwrap_or(0);
    let time = Timestamp::from_millisecond(newest)
        .map_err(|error| error.to_string())?
        .to_zoned(TimeZone::UTC);
    let folder = time.strftime("%Y/%m/%d/%H");
    let second = time.strftime("%Y-%m-%d-%H-%M-%S");
    let slash = if prefix.is_empty() { "" } else { "/" };
    Ok(format!(
        "{prefix}{slash}{folder}/{second}-{}.gz",
        hash(rows)
    ))
}

fn hash(rows: &[SendRow]) -> String {
    let mut digest = Sha256::new();
    for row in rows {
        digest.update(row.id.as_str());
    }
    let digest = digest.finalize();
    let head = digest.iter().take(HASH_BYTES);
    head.fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// The name becomes part of an address, and must not lead elsewhere.
fn check_bucket(name: &str) -> Result<(), String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_name = (3..=255).contains(&name.len())
        && name.bytes().all(allowed)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if is_name {
        Ok(())
    } else {
        Err(format!("{name:?} is no name of a bucket"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use serde_json::{Value, json};
    use sluice_model::{EmitId, IdGen, UserId};
    use sluice_store::sends::{SendKind, SendState};

    use super::*;

    fn rows(prefix: &str, payloads: &[Value]) -> Vec<SendRow> {
        let mut ids = IdGen::new(1);
        let row = |payload: &Value| SendRow {
            id: EmitId::generate(&mut ids, 1),
            step: None,
            user_id: UserId::parse("u_a").unwrap(),
            kind: SendKind::S3,
            state: SendState::Pending,
            due_at: Some(60_000),
            tries: 0,
            result: None,
            // 2021-02-03T04:05:06Z
            created_at: 1_612_325_106_000,
            updated_at: 1,
            payload: json!({ "bucket": "some-bucket", "prefix": prefix, "payload": payload })
                .to_string(),
            trace: None,
        };
        payloads.iter().map(row).collect()
    }

    #[test]
    fn each_payload_is_a_line() {
        let payloads = [
            json!({ "a": "x\ny" }),
            json!("plain text"),
            json!("two\nlines"),
            json!([1, null]),
        ];
        let object = Object::of(&rows("logs", &payloads)).unwrap();
        let mut lines = String::new();
        let mut content = GzDecoder::new(object.content.as_slice());
        content.read_to_string(&mut lines).unwrap();
        assert_eq!(
            lines,
            "{\"a\":\"x\\ny\"}\nplain text\n\"two\\nlines\"\n[1,null]\n"
        );
    }

    #[test]
    fn the_name_has_the_prefix_and_the_time_and_is_the_same_for_the_same_rows() {
        let key = |prefix: &str, count: usize| {
            let rows = rows(prefix, &vec![json!(1); count]);
            Object::of(&rows).unwrap().key
        };
        let name = key("/my/logs/", 2);
        let (start, hash) = name.rsplit_once('-').unwrap();
        assert_eq!(start, "my/logs/2021/02/03/04/2021-02-03-04-05-06");
        assert_eq!(hash.len(), 2 * HASH_BYTES + ".gz".len());
        assert_eq!(name, key("my/logs", 2));
        assert_ne!(name, key("my/logs", 1));
        assert!(key("", 1).starts_with("2021/02/"));
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for bucket in ["..", "", "a/b", "//evil.example", "a?b", ".a.b", "ab"] {
            check_bucket(bucket).unwrap_err();
        }
        check_bucket("my-bucket.logs").unwrap();
        assert!(Object::of(&rows("a/../b", &[json!(1)])).is_err());
        assert!(Object::of(&rows("..", &[json!(1)])).is_err());
    }
}
