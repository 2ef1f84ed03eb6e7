//! Archives are unpacked as they were packed, and hostile ones do no harm.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use tar::{Builder, Header};
use tempfile::TempDir;

use super::*;
use crate::packages::archive::pack;

const LIMITS: PackageLimits = PackageLimits {
    bytes: 100_000,
    files: 50,
    depth: 10,
};
const ENOUGH: usize = 1_000_000;

/// A folder to unpack to, inside another one that must not change.
struct Place {
    top: TempDir,
}

impl Place {
    fn new() -> Place {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir(top.path().join("own")).unwrap();
        Place { top }
    }

    fn own(&self) -> PathBuf {
        self.top.path().join("own")
    }

    fn unpack(&self, archive: &[u8]) -> Result<(), UnpackError> {
        unpack(archive, &self.own(), LIMITS)
    }

    fn is_untouched_outside(&self) {
        assert_eq!(fs::read_dir(self.top.path()).unwrap().count(), 1);
    }
}

/// An archive with headers as they are given.
struct Hostile(Builder<GzEncoder<Vec<u8>>>);

impl Hostile {
    fn new() -> Hostile {
        let encoder = GzEncoder::new(Vec::new(), Compression::fast());
        Hostile(Builder::new(encoder))
    }

    /// Writes names that a careful builder would refuse.
    fn entry(mut self, kind: EntryType, path: &str, target: &str, content: &[u8]) -> Hostile {
        let mut header = Header::new_gnu();
        let gnu = header.as_gnu_mut().unwrap();
        gnu.name[..path.len()].copy_from_slice(path.as_bytes());
        gnu.linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o6777);
        header.set_size(content.len() as u64);
        header.set_cksum();
        self.0.append(&header, content).unwrap();
        self
    }

    fn file(self, path: &str) -> Hostile {
        self.entry(EntryType::Regular, path, "", b"content")
    }

    fn folder(self, path: &str) -> Hostile {
        self.entry(EntryType::Directory, path, "", b"")
    }

    fn link(self, path: &str, target: &str) -> Hostile {
        self.entry(EntryType::Symlink, path, target, b"")
    }

    fn finish(self) -> Vec<u8> {
        self.0.into_inner().unwrap().finish().unwrap()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Two packages as the installer leaves them, with a name that is too long for a header.
fn installed() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let modules = folder.path().join("node_modules");
    let long = modules.join(format!(".deno/a@1.0.0/{}", "long".repeat(40)));
    let package = modules.join(".deno/a@1.0.0/node_modules/a");
    fs::create_dir_all(&long).unwrap();
    fs::create_dir_all(&package).unwrap();
    fs::write(long.join("file"), "deep").unwrap();
    fs::write(package.join("index.js"), "module.exports = 1;").unwrap();
    fs::write(package.join("cli.js"), "#!").unwrap();
    fs::write(package.join("empty"), "").unwrap();
    let executable = Permissions::from_mode(0o755);
    fs::set_permissions(package.join("cli.js"), executable).unwrap();
    let plain = Permissions::from_mode(0o644);
    fs::set_permissions(package.join("index.js"), plain).unwrap();
    symlink(".deno/a@1.0.0/node_modules/a", modules.join("a")).unwrap();
    let target = format!("{}/file", long.strip_prefix(&modules).unwrap().display());
    symlink(target, modules.join("long")).unwrap();
    folder
}

#[test]
fn packages_are_unpacked_as_they_were_packed() {
    let installed = installed();
    let archive = pack(installed.path(), ENOUGH).unwrap().unwrap();
    let place = Place::new();
    place.unpack(&archive).unwrap();
    let modules = place.own().join("node_modules");
    let read = |path: &str| fs::read_to_string(modules.join(path)).unwrap();
    assert_eq!(read("a/index.js"), "module.exports = 1;");
    assert_eq!(read("long"), "deep");
    assert_eq!(read("a/empty"), "");
    assert_eq!(mode(&modules.join("a/cli.js")), 0o755);
    assert_eq!(mode(&modules.join("a/index.js")), 0o644);
    let target = fs::read_link(modules.join("a")).unwrap();
    assert_eq!(target, Path::new(".deno/a@1.0.0/node_modules/a"));
    // What was unpacked makes the same archive.
    let again = pack(&place.own(), ENOUGH).unwrap();
    assert_eq!(again, Some(archive));
}

#[test]
fn a_folder_beyond_the_size_is_not_packed() {
    let installed = installed();
    let size = pack(installed.path(), ENOUGH).unwrap().unwrap().len();
    assert!(pack(installed.path(), size).unwrap().is_some());
    assert_eq!(pack(installed.path(), size - 1).unwrap(), None);
    assert_eq!(pack(installed.path(), 10).unwrap(), None);
}

#[test]
fn a_folder_with_a_link_that_leaves_it_is_not_packed() {
    let installed = installed();
    symlink("/etc/hostname", installed.path().join("link")).unwrap();
    assert!(pack(installed.path(), ENOUGH).is_err());
}

#[test]
fn paths_that_leave_the_folder_are_refused() {
    for path in ["../out", "/out", "a/../../out", "..", ".", ""] {
        let place = Place::new();
        for archive in [
            Hostile::new().folder("a").file(path),
            Hostile::new().folder("a").folder(path),
            Hostile::new().folder("a").link(path, "a"),
        ] {
            assert!(place.unpack(&archive.finish()).is_err(), "{path:?}");
            let _ = fs::remove_dir(place.own().join("a"));
        }
        place.is_untouched_outside();
    }
}

#[test]
fn a_long_path_that_leaves_the_folder_is_refused() {
    let place = Place::new();
    let long = format!("{}../out\0", "a/../".repeat(40));
    let archive = Hostile::new()
        .entry(EntryType::GNULongName, "x", "", long.as_bytes())
        .file("x");
    assert!(place.unpack(&archive.finish()).is_err());
    place.is_untouched_outside();
}

#[test]
fn links_that_leave_the_folder_are_refused() {
    for target in ["..", "../out", "/etc/passwd", "a/../../out"] {
        let place = Place::new();
        let archive = Hostile::new().link("link", target).finish();
        assert!(place.unpack(&archive).is_err(), "{target}");
        assert_eq!(fs::read_dir(place.own()).unwrap().count(), 0);
    }
}

#[test]
fn files_are_not_written_through_links() {
    let place = Place::new();
    let through = Hostile::new().folder("a").link("link", "a").file("link/f");
    assert!(place.unpack(&through.finish()).is_err());
    let place = Place::new();
    let instead = Hostile::new().link("link", "a").file("link").finish();
    assert!(place.unpack(&instead).is_err());
    place.is_untouched_outside();
}

#[test]
fn other_kinds_of_entries_are_refused() {
    for kind in [
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
        EntryType::GNUSparse,
        EntryType::XHeader,
        EntryType::XGlobalHeader,
        EntryType::Continuous,
    ] {
        let place = Place::new();
        let archive = Hostile::new().file("f").entry(kind, "x", "f", b"").finish();
        let error = place.unpack(&archive).unwrap_err();
        assert!(matches!(error, UnpackError::Entry(_)), "{kind:?}: {error}");
        assert!(!place.own().join("x").exists());
    }
}

#[test]
fn the_same_path_twice_is_refused() {
    for archive in [
        Hostile::new().file("a").file("a"),
        Hostile::new().folder("a").folder("a"),
        Hostile::new().folder("a").file("a"),
        Hostile::new().file("a").file("a/b"),
    ] {
        assert!(Place::new().unpack(&archive.finish()).is_err());
    }
}

#[test]
fn only_the_server_may_write_to_files() {
    let place = Place::new();
    place
        .unpack(&Hostile::new().folder("a").file("a/f").finish())
        .unwrap();
    assert_eq!(mode(&place.own().join("a")), 0o755);
    assert_eq!(mode(&place.own().join("a/f")), 0o755);
}

#[test]
fn archives_beyond_a_limit_are_refused() {
    let many = (0..=LIMITS.files).fold(Hostile::new(), |all, n| all.file(&n.to_string()));
    let large = Hostile::new().entry(EntryType::Regular, "f", "", &vec![0; 100_001]);
    let path = |depth: usize| vec!["d"; depth].join("/");
    let deep = (1..=LIMITS.depth + 1).fold(Hostile::new(), |all, depth| all.folder(&path(depth)));
    for (archive, expected) in [
        (many, Excess::Files(LIMITS.files)),
        (large, Excess::Size(LIMITS.bytes)),
        (deep, Excess::Depth(LIMITS.depth)),
    ] {
        let error = Place::new().unpack(&archive.finish()).unwrap_err();
        assert!(
            matches!(error, UnpackError::Excess(excess) if excess == expected),
            "{error}"
        );
    }
}

#[test]
fn content_that_would_only_be_skipped_is_refused() {
    let long = vec![b'a'; 5_000];
    for archive in [
        Hostile::new().entry(EntryType::GNULongName, "x", "", &long),
        Hostile::new().entry(EntryType::GNULongLink, "x", "", &long),
        Hostile::new().entry(EntryType::Directory, "x", "", &long),
        Hostile::new().entry(EntryType::Symlink, "x", "y", &long),
        Hostile::new()
            .entry(EntryType::GNULongName, "x", "", b"a")
            .entry(EntryType::GNULongName, "x", "", b"b"),
    ] {
        let error = Place::new().unpack(&archive.finish()).unwrap_err();
        assert!(matches!(error, UnpackError::Entry(_)), "{error}");
    }
}

#[test]
fn damaged_archives_are_refused() {
    let installed = installed();
    let archive = pack(installed.path(), ENOUGH).unwrap().unwrap();
    assert!(Place::new().unpack(&archive[..archive.len() / 2]).is_err());
    assert!(Place::new().unpack(b"no archive").is_err());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&[7; 2_000]).unwrap();
    assert!(Place::new().unpack(&encoder.finish().unwrap()).is_err());
}
