//! The master key on disk: 64 hexadecimal characters, readable by their owner alone.
//!
//! A rotation writes the new key to a second file, has the database use it, and renames the file. A crash at any point leaves
//! a file with the key that the database uses.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, fchown},
    path::{Path, PathBuf},
};

use rand::CryptoRng;

use super::{error::VaultError, master_key::MasterKey};

/// The file with the master key of a server.
#[derive(Debug, Clone)]
pub struct KeyFile {
    path: PathBuf,
}

/// The key of a database.
#[derive(Debug)]
pub enum FoundKey {
    Current(MasterKey),
    /// A rotation was interrupted before it renamed the file.
    Pending(MasterKey),
}

impl FoundKey {
    pub fn into_key(self) -> MasterKey {
        match self {
            FoundKey::Current(key) | FoundKey::Pending(key) => key,
        }
    }
}

/// Held while the key is replaced. The kernel releases it if the process dies.
#[derive(Debug)]
pub struct RotationLock {
    /// Never read: the lock lasts as long as the file is open.
    _file: File,
}

impl KeyFile {
    pub fn new(path: PathBuf) -> KeyFile {
        KeyFile { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The key; `None` when there is no file.
    pub fn load(&self) -> Result<Option<MasterKey>, VaultError> {
        load(&self.path)
    }

    /// The key of a rotation that runs or was interrupted.
    pub fn load_pending(&self) -> Result<Option<MasterKey>, VaultError> {
        load(&self.pending())
    }

    /// The key that opens a sealed data key.
    pub fn find(&self, sealed: &str) -> Result<Option<FoundKey>, VaultError> {
        if let Some(key) = self.load()?
            && key.open(sealed).is_ok()
        {
            return Ok(Some(FoundKey::Current(key)));
        }
        let pending = self.load_pending()?;
        let fitting = pending.filter(|key| key.open(sealed).is_ok());
        Ok(fitting.map(FoundKey::Pending))
    }

    /// Makes a new key and returns the one that is there then.
    pub fn create(&self, rng: &mut impl CryptoRng) -> Result<MasterKey, VaultError> {
        self.save(&MasterKey::generate(rng))
    }

    /// Writes a key, unless there is one, and returns the one that is there then.
    pub fn save(&self, key: &MasterKey) -> Result<MasterKey, VaultError> {
        write_new(&self.path, key).map_err(at(&self.path))?;
        MasterKey::from_hex(&fs::read_to_string(&self.path).map_err(at(&self.path))?)
    }

    /// Waits until no other process replaces the key.
    pub fn lock(&self) -> Result<RotationLock, VaultError> {
        let path = self.beside(".lock");
        let lock = || {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .mode(0o600)
                .open(&path)?;
            give_to_owner_of(&self.path, &file)?;
            file.lock()?;
            Ok(RotationLock { _file: file })
        };
        lock().map_err(at(&path))
    }

    /// Writes the key that is to replace the current one. It is on the disk afterwards.
    pub fn write_pending(&self, key: &MasterKey, _: &RotationLock) -> Result<(), VaultError> {
        let pending = self.pending();
        let write = || {
            let unfinished = self.beside(".pending.new");
            let file = write_private(&unfinished, key)?;
            give_to_owner_of(&self.path, &file)?;
            fs::rename(&unfinished, &pending)?;
            sync_folder(&pending)
        };
        write().map_err(at(&pending))
    }

    /// Puts the pending key into the place of the current one.
    pub fn publish_pending(&self, _: &RotationLock) -> Result<(), VaultError> {
        fs::rename(self.pending(), &self.path)
            .and_then(|()| sync_folder(&self.path))
            .map_err(at(&self.path))
    }

    fn pending(&self) -> PathBuf {
        self.beside(".pending")
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(suffix);
        PathBuf::from(name)
    }
}

fn load(path: &Path) -> Result<Option<MasterKey>, VaultError> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
        Ok(text) => MasterKey::from_hex(&text).map(Some),
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> VaultError {
    move |source| VaultError::KeyFile {
        path: path.display().to_string(),
        source,
    }
}

/// Writes a new key. It appears under its name only when it is whole and on the disk, and never
/// replaces one that is there: a lost key would make every stored secret unreadable.
fn write_new(path: &Path, key: &MasterKey) -> io::Result<()> {
    let mut name = OsString::from(path);
    name.push(".new");
    let unfinished = PathBuf::from(name);
    write_private(&unfinished, key)?;
    match fs::hard_link(&unfinished, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    fs::remove_file(&unfinished)?;
    sync_folder(path)
}

/// Writes a key to a file of its own and waits for the disk. The leftover of a crash is replaced.
fn write_private(path: &Path, key: &MasterKey) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(path)?;
    writeln!(file, "{}", key.hex())?;
    file.sync_all()?;
    Ok(file)
}

/// A rotation by root leaves the key to the user of the server.
fn give_to_owner_of(path: &Path, file: &File) -> io::Result<()> {
    let (wanted, actual) = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        wanted => (wanted?, file.metadata()?),
    };
    if (wanted.uid(), wanted.gid()) == (actual.uid(), actual.gid()) {
        return Ok(());
    }
    fchown(file, Some(wanted.uid()), Some(wanted.gid()))
}

fn sync_folder(path: &Path) -> io::Result<()> {
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

    fn key(byte: &str) -> MasterKey {
        MasterKey::from_hex(&byte.repeat(32)).unwrap()
    }

    fn file() -> (tempfile::TempDir, KeyFile) {
        let folder = tempfile::tempdir().unwrap();
        let file = KeyFile::new(folder.path().join("master.key"));
        (folder, file)
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_made_key_is_private_and_kept() {
        let (folder, file) = file();
        assert!(file.load().unwrap().is_none());
        let key = file.create(&mut StdRng::seed_from_u64(1)).unwrap();
        assert_eq!(file.load().unwrap(), Some(key.clone()));
        let again = file.create(&mut StdRng::seed_from_u64(2)).unwrap();
        assert_eq!(again, key, "a key that is there is never replaced");
        assert_eq!(mode(file.path()), 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_unfinished_file_of_a_crash_is_no_obstacle() {
        let (folder, file) = file();
        fs::write(folder.path().join("master.key.new"), "half").unwrap();
        file.create(&mut StdRng::seed_from_u64(1)).unwrap();
        fs::write(folder.path().join("master.key.pending.new"), "half").unwrap();
        let lock = file.lock().unwrap();
        file.write_pending(&key("02"), &lock).unwrap();
        assert_eq!(file.load_pending().unwrap(), Some(key("02")));
    }

    #[test]
    fn a_damaged_key_file_is_an_error_and_stays() {
        let (_folder, file) = file();
        fs::write(file.path(), "abc").unwrap();
        assert!(matches!(file.load(), Err(VaultError::BadKey)));
        assert_eq!(fs::read_to_string(file.path()).unwrap(), "abc");
    }

    #[test]
    fn the_key_that_the_database_uses_is_found_at_each_step_of_a_rotation() {
        let (folder, file) = file();
        let mut rng = StdRng::seed_from_u64(1);
        file.save(&key("01")).unwrap();
        let before = key("01").new_data_key(&mut rng);
        let after = key("01").reseal(&before, &key("02"), &mut rng).unwrap();
        let lock = file.lock().unwrap();
        file.write_pending(&key("02"), &lock).unwrap();
        assert_eq!(mode(&folder.path().join("master.key.pending")), 0o600);
        let found = file.find(&before).unwrap();
        assert!(matches!(found, Some(FoundKey::Current(found)) if found == key("01")));
        let found = file.find(&after).unwrap();
        assert!(matches!(found, Some(FoundKey::Pending(found)) if found == key("02")));
        file.publish_pending(&lock).unwrap();
        let found = file.find(&after).unwrap();
        assert!(matches!(found, Some(FoundKey::Current(found)) if found == key("02")));
        assert!(file.find(&before).unwrap().is_none());
        assert!(file.load_pending().unwrap().is_none());
    }
}
