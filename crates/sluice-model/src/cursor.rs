//! Cursors of resource lists, which page newest first by (creation time, id).
//!
//! A cursor holds a position and not the id of a row, so it stays valid when its row is deleted. It is opaque text to
//! clients; other text is not a cursor.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

const MAX_ID: usize = 64;

/// The position of one row in a list. `id` is a resource id: ASCII letters, digits and `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub at_ms: i64,
    pub id: String,
}

impl Cursor {
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}:{}", self.at_ms, self.id))
    }

    pub fn decode(text: &str) -> Option<Cursor> {
        let decoded = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (at_ms, id) = decoded.split_once(':')?;
        is_resource_id(id).then_some(())?;
        Some(Cursor {
            at_ms: at_ms.parse().ok()?,
            id: id.to_owned(),
        })
    }
}

/// Keeps text that cannot be an id out of queries, such as a NUL, which PostgreSQL rejects.
fn is_resource_id(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn garbage_is_no_cursor() {
        let with_nul = URL_SAFE_NO_PAD.encode("5:dc_\0");
        let without_id = URL_SAFE_NO_PAD.encode("5:");
        let without_time = URL_SAFE_NO_PAD.encode("x:dc_a");
        for bad in [
            "",
            "!",
            "====",
            "ZGNfSzB1QWVl",
            "1-0",
            &with_nul,
            &without_id,
            &without_time,
        ] {
            assert_eq!(Cursor::decode(bad), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn cursors_round_trip(at_ms: i64, id in "[a-z]{1,3}_[A-Za-z0-9]{1,40}") {
            let cursor = Cursor { at_ms, id };
            prop_assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
        }

        #[test]
        fn any_text_decodes_without_panic(text in ".*") {
            let _ = Cursor::decode(&text);
        }
    }
}
