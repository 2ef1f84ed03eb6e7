//! The settings as `sluice serve --help` names them, with what holds, for the operator to look at. No secret is among them.

use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use sluice_infra::SettingDescription;
use url::Url;

use super::ServeOptions;

const SECRET: &str = "********";

/// All of them, in the order of the help.
pub(crate) fn told(matches: &ArgMatches) -> Vec<SettingDescription> {
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

/// What holds where that is more than what was given.
pub(crate) fn tell(settings: &mut [SettingDescription], name: &str, holds: String) {
    let found = settings.iter_mut().find(|setting| setting.name == name);
    if let Some(setting) = found {
        setting.value = Some(holds);
    }
}

fn value(matches: &ArgMatches, arg: &Arg) -> Option<String> {
    let id = arg.get_id().as_str();
    if let ArgAction::SetTrue = arg.get_action() {
        return Some(matches.get_flag(id).to_string());
    }
    let given: Vec<_> = matches
        .get_raw(id)?
        .map(|part| part.to_string_lossy())
        .collect();
    let given = given.join(",");
    // What the help does not show is a secret, or has one in it.
    if arg.is_hide_env_values_set() {
        Some(without_credentials(&given).unwrap_or_else(|| SECRET.to_owned()))
    } else {
        Some(given)
    }
}

/// Of an address, what leads there.
fn without_credentials(given: &str) -> Option<String> {
    let url = Url::parse(given).ok()?;
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

    fn told_of(arguments: &[&str]) -> Vec<SettingDescription> {
        let command = ServeOptions::augment_args(Command::new("serve"));
        let arguments = std::iter::once("serve").chain(arguments.iter().copied());
        told(&command.get_matches_from(arguments))
    }

    fn holds(settings: &[SettingDescription], name: &str) -> Option<String> {
        let found = settings.iter().find(|setting| setting.name == name);
        found.expect("a setting").value.clone()
    }

    #[test]
    fn settings_are_told_with_what_was_given_or_is_the_default() {
        let mut settings = told_of(&[
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
            assert_eq!(holds(&settings, name).as_deref(), expected, "{name}");
        }
        tell(&mut settings, "--public-url", "http://here".to_owned());
        assert_eq!(holds(&settings, "--public-url").unwrap(), "http://here");
        assert!(settings.iter().all(|setting| !setting.help.is_empty()));
        assert!(settings.iter().all(|setting| !setting.help.contains('\n')));
    }

    #[test]
    fn no_secret_is_told() {
        let settings = told_of(&[
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
        let value = |name| holds(&settings, name).unwrap();
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
        let odd = told_of(&["--database-url", "host=db password=secret"]);
        assert_eq!(holds(&odd, "--database-url").unwrap(), SECRET);
    }
}
