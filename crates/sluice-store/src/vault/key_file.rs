//! The master key on disk: 64 hexadecimal characters, readable by their owner alone.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use rand::{CryptoRng, RngExt};

use super::{error::VaultError, hex::hex};

/// Reads a key from its hexadecimal text; space around it is ignored.
pub(super) fn parse(text: &str) -> Result<[u8; 32], VaultError> {
    let digits = text.trim().as_bytes();
    let mut key = [0; 32];
    if digits.len() != key.len() * 2 {
        return Err(VaultError::BadKey);
    }
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Ok(key)
}

fn digit(character: u8) -> Result<u8, VaultError> {
    char::from(character)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
        .ok_or(VaultError::BadKey)
}

pub(super) fn load(path: &Path) -> Result<Option<[u8; 32]>, VaultError> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
        Ok(text) => parse(&text).map(Some),
    }
}

/// Makes a new key and returns the one that is there then.
pub(super) fn create(path: &Path, rng: &mut impl CryptoRng) -> Result<[u8; 32], VaultError> {
    save(path, rng.random())
}

/// Writes a key, unless there is one, and returns the one that is there then.
pub(super) fn save(path: &Path, key: [u8; 32]) -> Result<[u8; 32], VaultError> {
    write_new(path, key).map_err(at(path))?;
    parse(&fs::read_to_string(path).map_err(at(path))?)
}

fn at(path: &Path) -> impl Fn(io::Error) -> VaultError {
    move |source| VaultError::KeyFile {
        path: path.display().to_string(),
        source,
    }
}

/// Writes a new key. It appears under its name only when it is whole and on the disk, and never
/// replaces one that is there: a lost key would make every stored secret unreadable.
fn write_new(path: &Path, key: [u8; 32]) -> io::Result<()> {
    let mut name = OsString::from(path);
    name.push(".new");
    let unfinished = PathBuf::from(name);
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&unfinished)?;
    writeln!(file, "{}", hex(&key))?;
    file.sync_all()?;
    match fs::hard_link(&unfinished, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    fs::remove_file(&unfinished)?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn create(path: &Path) -> [u8; 32] {
        super::create(path, &mut StdRng::seed_from_u64(1)).unwrap()
    }

    #[test]
    fn a_made_key_is_private_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        assert!(load(&path).unwrap().is_none());
        let key = create(&path);
        assert_eq!(load(&path).unwrap(), Some(key));
        let again = super::create(&path, &mut StdRng::seed_from_u64(2)).unwrap();
        assert_eq!(again, key, "a key that is there is never replaced");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_unfinished_file_of_a_crash_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        fs::write(folder.path().join("master.key.new"), "half").unwrap();
        create(&path);
    }

    #[test]
    fn a_damaged_key_file_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        fs::write(&path, "abc").unwrap();
        assert!(matches!(load(&path), Err(VaultError::BadKey)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "abc");
    }

    #[test]
    fn hexadecimal_of_either_case_parses() {
        assert_eq!(parse(&"aB".repeat(32)).unwrap(), [0xab; 32]);
        assert_eq!(parse(&format!("{}\n", "01".repeat(32))).unwrap(), [1; 32]);
        for bad in ["", "zz", &"0".repeat(63), &"g".repeat(64), &"ä".repeat(32)] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
