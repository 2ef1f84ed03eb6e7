//! What a person sees at the first start: the console's address, the key, and the command that deploys a first source.

use sluice_model::ApiKey;

use crate::first_profile::Kept;

/// `url` is where commands on this machine reach the server.
pub(crate) fn first_start(public_url: &str, url: &str, key: &ApiKey, kept: &Kept) -> String {
    let key = key.as_str();
    let place = match kept {
        Kept::InProfile(path) => {
            format!(
                "It is kept in {}, so commands on this machine find it.",
                path.display()
            )
        }
        Kept::ProfileIsTaken(other) => format!(
            "Commands on this machine use the server at {other}. To use this one, under a name of its own:\n\n    \
             sluice login --profile local --url {url} --api-key {key}\n    export SLUICE_PROFILE=local"
        ),
        Kept::Nowhere(reason) => format!(
            "It could not be kept for commands ({reason}). Tell them with:\n\n    \
             export SLUICE_URL={url} SLUICE_API_KEY={key}"
        ),
    };
    format!(
        "\n  Sluice is ready at {public_url}\n\n  Console:      {public_url}/\n  Your API key: {key}\n  {place}\n\n  \
         Write a first source and deploy it:\n\n    \
         sluice init source hello && sluice deploy hello.mjs\n\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_became_of_the_key_the_next_command_is_there() {
        let key = ApiKey::parse(&"a".repeat(32)).unwrap();
        for (kept, words) in [
            (Kept::InProfile("/c/config.toml".into()), "/c/config.toml"),
            (
                Kept::ProfileIsTaken("http://other".to_owned()),
                "sluice login --profile local --url http://here --api-key aaaa",
            ),
            (
                Kept::Nowhere("no HOME".to_owned()),
                "export SLUICE_URL=http://here SLUICE_API_KEY=aaaa",
            ),
        ] {
            let banner = first_start("https://public", "http://here", &key, &kept);
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
