//! The key of the first user: given by the operator or made by the server, and announced at the first start.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use anyhow::bail;
use sluice_model::ApiKey;

use crate::{
    banner::{self, KeyPlace},
    first_profile::{self, SavedKey},
    options::ServeOptions,
    private_file,
};

const FILE: &str = "operator.key";

/// The origin of the key.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    Given,
    Generated,
}

/// The key that the operator gave.
pub(super) fn given(options: &ServeOptions) -> anyhow::Result<Option<ApiKey>> {
    match &options.keys.api_key {
        None => Ok(None),
        Some(text) => match ApiKey::parse(text) {
            Some(key) => Ok(Some(key)),
            None => bail!("SLUICE_API_KEY must be 32 lower-case hexadecimal characters"),
        },
    }
}

/// Saves the key for commands on this machine, and prints the banner.
pub(super) fn announce(
    (public, local): (&str, &str),
    key: &ApiKey,
    origin: Origin,
    data_dir: &Path,
) {
    let saved = first_profile::save(local, key);
    let place = place(key, origin, &saved, data_dir);
    let text = banner::first_start(public, local, &place, &saved);
    eprint!("{text}");
}

fn place<'a>(key: &'a ApiKey, origin: Origin, saved: &SavedKey, data_dir: &Path) -> KeyPlace<'a> {
    if io::stderr().is_terminal() {
        return KeyPlace::Terminal(key);
    }
    match (saved, origin) {
        (SavedKey::Profile(_), _) => KeyPlace::Profile,
        (SavedKey::OtherServer(_) | SavedKey::NotSaved(_), Origin::Given) => KeyPlace::Variable,
        (SavedKey::OtherServer(_) | SavedKey::NotSaved(_), Origin::Generated) => {
            match write(key, data_dir) {
                Ok(path) => KeyPlace::File(path),
                Err(error) => KeyPlace::Lost(error.to_string()),
            }
        }
    }
}

/// Writes a file that only its owner can read.
fn write(key: &ApiKey, data_dir: &Path) -> io::Result<PathBuf> {
    let path = data_dir.join(FILE);
    private_file::replace(&path, format!("{}\n", key.as_str()).as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn the_file_with_the_key_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let key = ApiKey::parse(&"a".repeat(32)).unwrap();
        let path = write(&key, folder.path()).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{}\n", key.as_str())
        );
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
