//! The effective settings of `sluice serve`, by the names of its flags, for the operator's view. Secrets are masked.

use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use sluice_infra::SettingDescription;
use url::Url;

use super::ServeOptions;

const SECRET: &str = "********";

/// All settings, in the order of the help.
pub(crate) fn effective_settings(matches: &ArgMatches) -> Vec<SettingDescription> {
    let command = ServeOptions::augment_args(Command::new("serve"));
    let settings = command.get_arguments().filter_map(|arg| {
        let name = format!("--{}", arg.get_long()?);
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        Some(SettingDescription {
            name,
            value: value(matches, arg),
            help,
        })
    });
    settings.collect()
}

/// Sets the value of a setting that is only known at run time.
pub(crate) fn set_value(settings: &mut [SettingDescription], name: &str, value: String) {
    let found = settings.iter_mut().find(|setting| setting.name == name);
    if let Some(setting) = found {
        setting.value = Some(value);
    }
}

fn value(matches: &ArgMatches, arg: &Arg) -> Option<String> {
    let id = arg.get_id().as_str();
    if let ArgAction::SetTrue = arg.get_action() {
        return Some(matches.get_flag(id).to_string());
    }
    let parts: Vec<_> = matches
        .get_raw(id)?
        .map(|part| part.to_string_lossy())
        .collect();
    let text = parts.join(",");
    // The flags whose values the help hides are secrets or contain one.
    if arg.is_hide_env_values_set() {
        Some(without_credentials(&text).unwrap_or_else(|| SECRET.to_owned()))
    } else {
        Some(text)
    }
}

/// A URL without user, password and query.
fn without_credentials(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let host = url.host_str().filter(|host| !host.is_empty())?;
    let port = url.port().map(|port| format!(":{port}"));
    Some(format!(
        "{}://{host}{}{}",
        url.scheme(),
        port.unwrap_or_default(),
        url.path()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effective_of(arguments: &[&str]) -> Vec<SettingDescription> {
        let command = ServeOptions::augment_args(Command::new("serve"));
        let arguments = std::iter::once("serve").chain(arguments.iter().copied());
        effective_settings(&command.get_matches_from(arguments))
    }

    fn value_of(settings: &[SettingDescription], name: &str) -> Option<String> {
        let found = settings.iter().find(|setting| setting.name == name);
        found.expect("a setting").value.clone()
    }

    #[test]
    fn settings_have_the_given_value_or_the_default() {
        let mut settings = effective_of(&[
            "--invocation-timeout",
            "90s",
            "--webhook-retries",
            "1s,2s",
            "--allow-signup",
        ]);
        for (name, expected) in [
            ("--invocation-timeout", Some("90s")),
            ("--webhook-timeout", Some("15s")),
            ("--max-body", Some("10MiB")),
            ("--webhook-retries", Some("1s,2s")),
            ("--allow-signup", Some("true")),
            ("--allow-ipv6", Some("false")),
            ("--endpoint-domain", None),
            ("--public-url", None),
        ] {
            assert_eq!(value_of(&settings, name).as_deref(), expected, "{name}");
        }
        set_value(&mut settings, "--public-url", "http://here".to_owned());
        assert_eq!(value_of(&settings, "--public-url").unwrap(), "http://here");
        assert!(settings.iter().all(|setting| !setting.help.is_empty()));
        assert!(settings.iter().all(|setting| !setting.help.contains('\n')));
    }

    #[test]
    fn secrets_are_masked() {
        let settings = effective_of(&[
            "--api-key",
            "0123secret",
            "--master-key",
            "4567secret",
            "--database-url",
            "postgres://secretuser:secret@db.internal:5433/sluice?password=secret",
            "--egress-proxy",
            "http://user:secret@proxy:3128",
            "--smtp-url",
            "smtps://user:secret@mail.example.com",
            "--smtp-from",
            "a@example.com",
            "--s3-endpoint",
            "https://s3.example.com",
            "--s3-access-key-id",
            "id",
            "--s3-secret-access-key",
            "secret",
        ]);
        let value = |name| value_of(&settings, name).unwrap();
        assert_eq!(
            value("--database-url"),
            "postgres://db.internal:5433/sluice"
        );
        assert_eq!(value("--egress-proxy"), "http://proxy:3128/");
        assert_eq!(value("--smtp-url"), "smtps://mail.example.com");
        for name in ["--api-key", "--master-key", "--s3-secret-access-key"] {
            assert_eq!(value(name), SECRET);
        }
        let all = settings.iter().filter_map(|setting| setting.value.as_ref());
        for value in all {
            assert!(!value.contains("secret"), "{value}");
        }
        let odd = effective_of(&["--database-url", "host=db password=secret"]);
        assert_eq!(value_of(&odd, "--database-url").unwrap(), SECRET);
    }
}
