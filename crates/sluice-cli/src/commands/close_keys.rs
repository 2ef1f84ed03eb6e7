//! Suggestions for a key that no component has.

use std::collections::BTreeSet;

use sluice_api::FoundComponents;

use crate::client::{Client, ClientError, escaped};

const MAX_SUGGESTIONS: usize = 5;
const MIN_SIMILARITY: f64 = 0.75;
/// Typing errors are rarely in the first letters.
const PREFIX: usize = 2;

/// Keys of published components that are similar to `key`, the most similar first. Without any, those of components whose
/// texts contain a word of it.
pub(super) async fn close_keys(client: &Client, key: &str) -> Result<Vec<String>, ClientError> {
    let with_words = matches(client, &key.replace('-', " ")).await?;
    let prefix: String = key.chars().take(PREFIX).collect();
    let with_prefix = matches(client, &prefix).await?;
    let found = with_words.iter().cloned().chain(with_prefix);
    let similar = most_similar(key, found.collect());
    Ok(if similar.is_empty() {
        with_words.into_iter().take(MAX_SUGGESTIONS).collect()
    } else {
        similar
    })
}

/// Keys of components that contain one of the words, best first.
async fn matches(client: &Client, words: &str) -> Result<Vec<String>, ClientError> {
    let path = format!(
        "/components/search?similarity_threshold=0.01&query={}",
        escaped(words)
    );
    let FoundComponents { sources, actions } = client.get_plain(&path).await?;
    Ok([sources, actions].concat())
}

fn most_similar(key: &str, found: BTreeSet<String>) -> Vec<String> {
    let similarity = |other: &str| strsim::jaro_winkler(key, other);
    let mut similar: Vec<(f64, String)> = found
        .into_iter()
        .map(|other| (similarity(&other), other))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    similar.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let keys = similar.into_iter().map(|(_, key)| key);
    keys.take(MAX_SUGGESTIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_keys_are_suggested_the_most_similar_first() {
        let found = ["http", "http-request", "github-webhook", "schedule"];
        let found: BTreeSet<String> = found.map(str::to_owned).into();
        assert_eq!(most_similar("htpp", found.clone())[0], "http");
        assert_eq!(most_similar("shedule", found.clone()), ["schedule"]);
        assert_eq!(most_similar("zebra", found), Vec::<String>::new());
    }
}
