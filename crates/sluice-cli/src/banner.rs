//! The banner of the first start: the console's address, the API key, and the command that deploys a first source.
//!
//! It is written to standard error directly and is no log event, so the rate limit of the log does not apply. The key itself is
//! shown on a terminal only: logs are kept and passed on.

use std::path::PathBuf;

use sluice_model::ApiKey;

use crate::first_profile::SavedKey;

/// Where the reader finds the key of the first user.
pub(crate) enum KeyPlace<'a> {
    /// In the banner.
    Terminal(&'a ApiKey),
    /// In the variable that the server was started with.
    Variable,
    /// In the profile for commands.
    Profile,
    /// In a file of its own.
    File(PathBuf),
    /// Nowhere, for this reason.
    Lost(String),
}

impl KeyPlace<'_> {
    fn line(&self, saved: &SavedKey) -> String {
        match (self, saved) {
            (KeyPlace::Terminal(key), _) => key.as_str().to_owned(),
            (KeyPlace::Profile, SavedKey::Profile(path)) | (KeyPlace::File(path), _) => {
                path.display().to_string()
            }
            (KeyPlace::Variable | KeyPlace::Profile, _) => "SLUICE_API_KEY".to_owned(),
            (KeyPlace::Lost(reason), _) => format!(
                "could not be saved ({reason}). Make a new one with `sluice users reset-key operator`"
            ),
        }
    }

    /// The key as a word of a command.
    fn word(&self) -> String {
        match self {
            KeyPlace::Terminal(key) => key.as_str().to_owned(),
            KeyPlace::File(path) => format!("\"$(cat '{}')\"", path.display()),
            KeyPlace::Variable | KeyPlace::Profile => "$SLUICE_API_KEY".to_owned(),
            KeyPlace::Lost(_) => "KEY".to_owned(),
        }
    }
}

/// `url` is the server's address for commands on this machine.
pub(crate) fn first_start(
    public_url: &str,
    url: &str,
    place: &KeyPlace<'_>,
    saved: &SavedKey,
) -> String {
    let (line, key) = (place.line(saved), place.word());
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
        "\n  Sluice is ready at {public_url}\n\n  Console:      {public_url}/\n  Your API key: {line}\n  {note}\n\n  \
         Create and deploy a first source:\n\n    \
         sluice init source hello && sluice deploy hello.mjs\n\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banner(place: &KeyPlace<'_>, saved: &SavedKey) -> String {
        first_start("https://public", "http://here", place, saved)
    }

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
            let banner = banner(&KeyPlace::Terminal(&key), &saved);
            for words in [
                words,
                "ready at https://public\n",
                "  Console:      https://public/\n",
                "  Your API key: aaaa",
                "sluice deploy hello.mjs",
            ] {
                assert!(banner.contains(words), "{words}: {banner}");
            }
        }
    }

    #[test]
    fn a_log_has_the_place_of_the_key() {
        let profile = SavedKey::Profile("/c/config.toml".into());
        let other = SavedKey::OtherServer("http://other".to_owned());
        for (place, saved, words) in [
            (KeyPlace::Profile, &profile, "Your API key: /c/config.toml"),
            (KeyPlace::Variable, &profile, "Your API key: SLUICE_API_KEY"),
            (KeyPlace::Variable, &other, "--api-key $SLUICE_API_KEY"),
            (
                KeyPlace::File("/d/operator.key".into()),
                &other,
                "Your API key: /d/operator.key",
            ),
            (
                KeyPlace::File("/d/operator.key".into()),
                &other,
                "--api-key \"$(cat '/d/operator.key')\"",
            ),
            (
                KeyPlace::Lost("full".to_owned()),
                &other,
                "could not be saved (full)",
            ),
        ] {
            let banner = banner(&place, saved);
            assert!(banner.contains(words), "{words}: {banner}");
        }
    }
}
