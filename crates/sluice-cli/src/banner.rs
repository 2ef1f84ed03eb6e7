//! The banner of the first start: the console's address, the API key, and the command that deploys a first source.
//!
//! It is written to standard error directly and is no log event, so the rate limit of the log does not apply.

use sluice_model::ApiKey;

use crate::first_profile::SavedKey;

/// `url` is the server's address for commands on this machine.
pub(crate) fn first_start(public_url: &str, url: &str, key: &ApiKey, saved: &SavedKey) -> String {
    let key = key.as_str();
    let note = match saved {
        SavedKey::Profile(path) => {
            format!("Saved in {} for commands on this machine.", path.display())
        }
        SavedKey::OtherServer(other) => format!(
            "Commands on this machine use the server at {other}. To add this server as a profile:\n\n    \
             sluice login --profile local --url {url} --api-key {key}\n    export SLUICE_PROFILE=local"
        ),
        SavedKey::NotSaved(reason) => format!(
            "The key could not be saved for commands ({reason}). Set it in the environment:\n\n    \
             export SLUICE_URL={url} SLUICE_API_KEY={key}"
        ),
    };
    format!(
        "\n  Sluice is ready at {public_url}\n\n  Console:      {public_url}/\n  Your API key: {key}\n  {note}\n\n  \
         Create and deploy a first source:\n\n    \
         sluice init source hello && sluice deploy hello.mjs\n\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_shows_the_next_command_in_every_case() {
        let key = ApiKey::parse(&"a".repeat(32)).unwrap();
        for (saved, words) in [
            (SavedKey::Profile("/c/config.toml".into()), "/c/config.toml"),
            (
                SavedKey::OtherServer("http://other".to_owned()),
                "sluice login --profile local --url http://here --api-key aaaa",
            ),
            (
                SavedKey::NotSaved("no HOME".to_owned()),
                "export SLUICE_URL=http://here SLUICE_API_KEY=aaaa",
            ),
        ] {
            let banner = first_start("https://public", "http://here", &key, &saved);
            for words in [
                words,
                "ready at https://public\n",
                "  Console:      https://public/\n",
                "sluice deploy hello.mjs",
            ] {
                assert!(banner.contains(words), "{words}: {banner}");
            }
        }
    }
}
