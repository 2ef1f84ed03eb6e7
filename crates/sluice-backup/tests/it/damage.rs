//! Backups that cannot be restored say why, and leave no database.

use std::fs;

use sluice_backup::{BackupError, Header};
use sluice_store::{
    Location, Store, StoreError, StoreOptions,
    transfer::{self, snapshot},
};

use crate::support::{
    backup, header, manifest, passphrase, postgres, restore, skips_postgres, sqlite,
};

/// A small database with rows.
fn source(folder: &tempfile::TempDir) -> Location {
    let location = sqlite(folder, "source.db");
    let store = Store::open(StoreOptions::new(location.clone())).unwrap();
    let fill = store.write(|c| {
        for n in 0..200_i64 {
            c.execute(
                "INSERT INTO kv (emitter_id, key, value) VALUES (?1, ?2, ?3)",
                sluice_store::params!["dc_a", &n.to_string(), "value"],
            )?;
        }
        Ok(())
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(fill).unwrap();
    store.close();
    location
}

/// Compression has bits without a meaning: a change of those gives the same rows.
#[test]
fn a_byte_that_changed_anywhere_is_noticed_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(&folder);
    let expected = manifest(&source).tables;
    let plain = backup(&source, &header(), None);
    let target = sqlite(&folder, "target.db");
    let mut unnoticed = 0;
    for at in (0..40).chain((40..plain.len()).step_by(9)) {
        let mut changed = plain.clone();
        changed[at] ^= 0x10;
        if let Ok(restored) = restore(&changed, None, &target) {
            assert_eq!(restored.tables, expected, "byte {at}");
            assert_eq!(manifest(&target).tables, expected, "byte {at}");
            unnoticed += 1;
        }
        fs::remove_file(folder.path().join("target.db")).ok();
    }
    assert!(unnoticed < 20, "{unnoticed}");
}

#[test]
fn a_file_that_was_cut_off_is_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(&folder);
    let target = sqlite(&folder, "target.db");
    let plain = backup(&source, &header(), None);
    for length in [plain.len() - 1, plain.len() - 9, plain.len() / 2, 40] {
        let error = restore(&plain[..length], None, &target).unwrap_err();
        assert!(
            matches!(error, BackupError::Incomplete),
            "{length}: {error}"
        );
        fs::remove_file(folder.path().join("target.db")).ok();
    }
    for length in [0, 5] {
        let error = restore(&plain[..length], None, &target).unwrap_err();
        assert!(matches!(error, BackupError::NoBackup), "{length}: {error}");
    }
    let error = restore(&[&plain[..], b"x"].concat(), None, &target).unwrap_err();
    assert!(error.to_string().contains("follows its end"), "{error}");
}

#[test]
fn an_encrypted_file_needs_its_passphrase_and_all_of_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(&folder);
    let target = sqlite(&folder, "target.db");
    let right = passphrase("right");
    let file = backup(&source, &header(), Some(&right));
    let text = String::from_utf8_lossy(&file);
    assert!(!text.contains("value"));
    let error = restore(&file, Some(&passphrase("wrong")), &target).unwrap_err();
    assert!(matches!(error, BackupError::WrongPassphrase), "{error}");
    for length in [file.len() - 1, file.len() / 2, 80] {
        let error = restore(&file[..length], Some(&right), &target).unwrap_err();
        assert!(error.to_string().contains("cut off"), "{error}");
    }
    for at in [60, 100, file.len() / 2, file.len() - 1] {
        let mut changed = file.clone();
        changed[at] ^= 1;
        let error = restore(&changed, Some(&right), &target).unwrap_err();
        assert!(error.to_string().contains("changed"), "{at}: {error}");
    }
    fs::remove_file(folder.path().join("target.db")).ok();
    let restored = restore(&file, Some(&right), &target).unwrap();
    assert_eq!(restored.tables, manifest(&source).tables);
}

#[test]
fn a_newer_schema_and_a_newer_format_name_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(&folder);
    let target = sqlite(&folder, "target.db");
    let newer = Header {
        schema: transfer::newest_schema() + 1,
        sluice: "9.9.9".to_owned(),
        ..header()
    };
    let file = backup(&source, &newer, None);
    let error = restore(&file, None, &target).unwrap_err().to_string();
    assert!(error.contains("made by sluice 9.9.9"), "{error}");
    assert!(error.contains("use a newer sluice"), "{error}");

    let mut file = backup(&source, &header(), None);
    file[13] = 2;
    let error = restore(&file, None, &target).unwrap_err().to_string();
    assert!(error.contains("format 2"), "{error}");
}

#[test]
fn a_backup_of_another_development_version_is_not_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(&folder);
    let target = sqlite(&folder, "target.db");
    let migrations = snapshot(&source, |c| transfer::migrations(c)).unwrap();
    let with = |migrations| {
        let header = Header {
            migrations,
            ..header()
        };
        restore(&backup(&source, &header, None), None, &target)
    };
    let error = with(vec!["other".to_owned()]).unwrap_err();
    assert!(matches!(error, BackupError::OtherSchema { .. }), "{error}");
    with(migrations).unwrap();
}

#[test]
fn a_failed_restore_leaves_postgresql_empty() {
    if skips_postgres() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = source(&folder);
    let file = backup(&source, &header(), None);
    let target = postgres();
    restore(&file[..file.len() - 1], None, &target).unwrap_err();
    let error = snapshot(&target, |c| transfer::schema_version(c)).unwrap_err();
    assert_eq!(
        error,
        StoreError::Unusable("the database is empty".to_owned())
    );
    restore(&file, None, &target).unwrap();
    assert_eq!(manifest(&target).tables, manifest(&source).tables);
}
