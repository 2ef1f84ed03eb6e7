//! The configuration file with servers and API keys: `$XDG_CONFIG_HOME/sluice/config.toml`.

use std::{
    collections::BTreeMap,
    env, fs, io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use serde::Deserialize;
use toml_edit::{DocumentMut, Item, Table, value};

use crate::private_file;

/// The profile that is used when no other is chosen.
pub(crate) const DEFAULT_PROFILE: &str = "default";
const PROFILES: &str = "profiles";
const CURRENT: &str = "profile";

/// A server and an API key for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    pub(crate) url: String,
    pub(crate) api_key: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    /// The current profile.
    profile: Option<String>,
    #[serde(default)]
    profiles: BTreeMap<String, Profile>,
}

/// The configuration file. Changes keep its comments and formatting.
#[derive(Debug)]
pub(crate) struct Config {
    path: PathBuf,
    text: DocumentMut,
    contents: Contents,
}

impl Config {
    /// A missing file counts as empty.
    pub(crate) fn load() -> anyhow::Result<Config> {
        Config::at(path()?)
    }

    pub(crate) fn at(path: PathBuf) -> anyhow::Result<Config> {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let invalid = || format!("{} is invalid", path.display());
        Ok(Config {
            contents: toml_edit::de::from_str(&text).with_context(invalid)?,
            text: text.parse().with_context(invalid)?,
            path,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the current profile.
    pub(crate) fn current(&self) -> &str {
        self.contents.profile.as_deref().unwrap_or(DEFAULT_PROFILE)
    }

    pub(crate) fn profiles(&self) -> &BTreeMap<String, Profile> {
        &self.contents.profiles
    }

    /// The profile with this name.
    pub(crate) fn profile(&self, name: &str) -> anyhow::Result<&Profile> {
        match self.contents.profiles.get(name) {
            Some(profile) => Ok(profile),
            None => bail!(
                "no profile {name} in {}: create it with `sluice login --profile {name}`",
                self.path.display()
            ),
        }
    }

    pub(crate) fn set(&mut self, name: &str, profile: Profile) {
        let profiles = self.text.entry(PROFILES).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        profiles[name]["url"] = value(&profile.url);
        profiles[name]["api_key"] = value(&profile.api_key);
        if let Some(table) = profiles[name].as_inline_table() {
            profiles[name] = Item::Table(table.clone().into_table());
        }
        self.contents.profiles.insert(name.to_owned(), profile);
    }

    /// Makes an existing profile the current one.
    pub(crate) fn use_profile(&mut self, name: &str) -> anyhow::Result<()> {
        self.profile(name)?;
        let is_new = !self.text.contains_key(CURRENT);
        self.text[CURRENT] = value(name);
        if is_new && let Some(mut key) = self.text.key_mut(CURRENT) {
            // A comment at the beginning of the file stays there.
            key.leaf_decor_mut().clear();
        }
        self.contents.profile = Some(name.to_owned());
        Ok(())
    }

    /// Returns whether the profile existed.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        if let Some(profiles) = self
            .text
            .get_mut(PROFILES)
            .and_then(Item::as_table_like_mut)
        {
            profiles.remove(name);
        }
        self.contents.profiles.remove(name).is_some()
    }

    /// Writes the file atomically, readable by its owner only.
    pub(crate) fn save(&self) -> anyhow::Result<()> {
        let write = || -> io::Result<()> {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
            private_file::replace(&self.path, self.text.to_string().as_bytes())
        };
        write().with_context(|| format!("cannot write {}", self.path.display()))
    }
}

fn path() -> anyhow::Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let folder = match (set("XDG_CONFIG_HOME"), set("HOME")) {
        (Some(config), _) => PathBuf::from(config),
        (None, Some(home)) => PathBuf::from(home).join(".config"),
        (None, None) => bail!("no place for the configuration file: set XDG_CONFIG_HOME or HOME"),
    };
    Ok(folder.join("sluice").join("config.toml"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn profile(key: &str) -> Profile {
        Profile {
            url: "http://a".to_owned(),
            api_key: key.to_owned(),
        }
    }

    #[test]
    fn profiles_are_written_read_and_removed_and_comments_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sluice/config.toml");
        let mut config = Config::at(path.clone()).unwrap();
        assert_eq!(config.current(), "default");
        config.set("default", profile("1"));
        config.save().unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "[profiles.default]\nurl = \"http://a\"\napi_key = \"1\"\n"
        );

        fs::write(&path, format!("# mine\nprofile = \"b\"\n{text}")).unwrap();
        let mut config = Config::at(path.clone()).unwrap();
        assert_eq!(config.current(), "b");
        assert!(config.profile("b").is_err());
        config.set("b", profile("2"));
        assert!(config.remove("default"));
        assert!(!config.remove("default"));
        config.save().unwrap();
        let config = Config::at(path.clone()).unwrap();
        assert_eq!(config.profile("b").unwrap(), &profile("2"));
        assert_eq!(config.profiles().len(), 1);
        assert!(fs::read_to_string(&path).unwrap().starts_with("# mine\n"));
    }

    #[test]
    fn another_profile_becomes_the_current_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let text = "# mine\n[profiles.a]\nurl = \"http://a\"\napi_key = \"1\"\n\n[profiles.b]\nurl = \"http://b\"\napi_key = \"2\" # old\n";
        fs::write(&path, text).unwrap();
        let mut config = Config::at(path.clone()).unwrap();
        assert!(config.use_profile("c").is_err());
        for name in ["b", "a"] {
            config.use_profile(name).unwrap();
            config.save().unwrap();
            config = Config::at(path.clone()).unwrap();
            assert_eq!(config.current(), name);
        }
        let written = fs::read_to_string(&path).unwrap();
        assert_eq!(written, format!("profile = \"a\"\n{text}"));
    }

    #[test]
    fn an_error_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, "profil = 1").unwrap();
        let error = Config::at(path).unwrap_err();
        assert!(format!("{error:#}").contains("config.toml is invalid: "));
    }
}
