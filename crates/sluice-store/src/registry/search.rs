//! The full-text index of the registry: FTS5 on SQLite, a `tsvector` on PostgreSQL. Both hold the same words, which are made
//! here, so that both find the same rows.

use sluice_model::{ComponentId, ComponentKind};

use super::publication::{Publication, Shelf};
use crate::{
    conn::{Conn, Dialect, query_all},
    error::Result,
    params,
    row::{FromRow, Row},
};

/// Longer words are cut. PostgreSQL keeps none of more than 2046 bytes.
const LONGEST_WORD: usize = 64;

/// A component in the registry, without its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryEntry {
    /// The id of its row, by which [`matching`] names it.
    pub id: i64,
    pub key: String,
    pub component_id: ComponentId,
    /// The slug of the app that it is for.
    pub app: Option<String>,
    pub kind: ComponentKind,
    pub name: String,
    pub published_at: i64,
}

impl FromRow for RegistryEntry {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(RegistryEntry {
            id: row.get(0)?,
            key: row.get(1)?,
            component_id: row.get(2)?,
            app: row.get(3)?,
            kind: row.get(4)?,
            name: row.get(5)?,
            published_at: row.get(6)?,
        })
    }
}

/// The words of a text: letters and digits, in lower case.
pub fn words_of(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(|word| {
        let mut word = word.to_lowercase();
        word.truncate(word.floor_char_boundary(LONGEST_WORD));
        word
    })
}

/// The newest version of every key of a shelf, in no order.
pub fn entries(c: &mut dyn Conn, shelf: &Shelf) -> Result<Vec<RegistryEntry>> {
    let sql = "SELECT id, key, component_id, app, kind, name, published_at FROM registry \
               WHERE shelf = ?1 AND newest";
    query_all(c, sql, params![shelf])
}

/// The ids of all rows, on every shelf, whose texts have, for every given word, a word that begins with it. Words are as
/// [`words_of`] gives them. Without words there is no match.
pub fn matching(c: &mut dyn Conn, words: &[String]) -> Result<Vec<i64>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let (sql, query) = match c.dialect() {
        Dialect::Sqlite => (
            "SELECT rowid FROM registry_words WHERE registry_words MATCH ?1",
            joined(words, " AND ", |word| format!("\"{word}\"*")),
        ),
        Dialect::Postgres => (
            "SELECT id FROM registry WHERE words @@ CAST(CAST(?1 AS TEXT) AS TSQUERY)",
            joined(words, " & ", |word| format!("'{word}':*")),
        ),
    };
    query_all(c, sql, params![&query])
}

fn joined(words: &[String], and: &str, quoted: impl Fn(&String) -> String) -> String {
    words.iter().map(quoted).collect::<Vec<_>>().join(and)
}

/// Puts a row into the index. It leaves it when it is deleted.
pub(super) fn index(c: &mut dyn Conn, publication: &Publication) -> Result<()> {
    let Publication {
        shelf,
        key,
        version,
        app,
        name,
        description,
        ..
    } = publication;
    let texts = [Some(key), app.as_ref(), Some(name), description.as_ref()];
    let mut words: Vec<String> = texts
        .into_iter()
        .flatten()
        .flat_map(|t| words_of(t))
        .collect();
    words.sort_unstable();
    words.dedup();
    let sql = match c.dialect() {
        Dialect::Sqlite => {
            "INSERT INTO registry_words (rowid, words) SELECT id, ?4 FROM registry \
             WHERE shelf = ?1 AND key = ?2 AND version = ?3"
        }
        Dialect::Postgres => {
            "UPDATE registry SET words = array_to_tsvector(string_to_array(CAST(?4 AS TEXT), ' ')) \
             WHERE shelf = ?1 AND key = ?2 AND version = ?3"
        }
    };
    c.execute_later(sql, params![shelf, key, version, &words.join(" ")])
}

/// Puts all rows into the index, of which none is in it.
pub(crate) fn index_all(c: &mut dyn Conn) -> Result<()> {
    let sql = "SELECT shelf, key, version, component_id, app, kind, name, description, \
               published_at FROM registry";
    let published: Vec<Publication> = query_all(c, sql, &[])?;
    published
        .iter()
        .try_for_each(|publication| index(c, publication))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_and_digits_in_lower_case() {
        let words = |text| words_of(text).collect::<Vec<_>>();
        assert_eq!(
            words("Slack_v2-New  Message!"),
            ["slack", "v2", "new", "message"]
        );
        assert_eq!(words("Ü 日本語 node.js"), ["ü", "日本語", "node", "js"]);
        assert!(words(" -_. ").is_empty());
        let long = "ä".repeat(100);
        assert_eq!(words(&long)[0].len(), LONGEST_WORD);
    }
}
